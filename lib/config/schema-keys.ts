import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { isObject } from "../core/json.ts";
import { didYouMean, suggest } from "../core/suggest.ts";
import type { Steps } from "./document.ts";
import { thingAt } from "./shapes.ts";
import type { SchemaProblem } from "#validators";

/** A remedy lists at most this many known names. */
const MOST_LISTED = 24;

/** Keys under which people expect an endpoint or a credential. */
const CREDENTIAL_KEYS =
  /^(cloudflare)?(api|auth|base|access)?(url|baseurl|apiurl|token|key|email|endpoint|credential|credentials|host|server)$/;

/** The error for a key that the schema does not have, and the key that was meant. */
export interface UnknownKey {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  readonly meant?: string;
}

/** Explains a key that the schema does not have. */
export function unknownKey(key: string, path: Steps, problem: SchemaProblem): UnknownKey {
  const known = isObject(problem.parentSchema?.["properties"]) ? Object.keys(problem.parentSchema["properties"]) : [];
  const message = `unknown key ${JSON.stringify(key)}${path.length === 0 ? "" : ` in ${thingAt(path)}`}`;
  if (problem.parentSchema?.["title"] === "Match") return unknownFact(key, known);
  const meant = suggest(key, known);
  if (meant !== undefined) return { code: "unknown-key", message, remedy: `did you mean ${meant}?`, meant };
  if (CREDENTIAL_KEYS.test(key.toLowerCase().replaceAll(/[_-]/g, ""))) {
    const remedy =
      path[0] === "state"
        ? "remove it; set ZONEFORM_STATE in the environment, or use --state"
        : "remove it; set CLOUDFLARE_API_TOKEN or CLOUDFLARE_BASE_URL in the environment, or use --api-url";
    return {
      code: "endpoint-or-credential",
      message: `${JSON.stringify(key)} names an endpoint or a credential, which no file of a project may set`,
      remedy,
    };
  }
  const [first] = key.split(".");
  if (first !== undefined && first !== key && known.includes(first)) {
    const nested = key.split(".").join(": { ");
    const remedy = `write it nested: ${nested}: … ${"}".repeat(key.split(".").length - 1)}`;
    return { code: "unknown-key", message, remedy, meant: first };
  }
  return { code: "unknown-key", message, remedy: `remove it, or use one of: ${listed(known)}` };
}

function unknownFact(key: string, known: readonly string[]): UnknownKey {
  const facts = [...known, "metadata.NAME", "label.NAME"].join(", ");
  if (/status|state|verified|active|expir|issued|created|updated/.test(key)) {
    return {
      code: "unstable-fact",
      message: `match cannot use ${JSON.stringify(key)}: it changes by itself, so the same YAML would match other hostnames tomorrow`,
      remedy: `match on one of: ${facts}`,
    };
  }
  return {
    code: "unknown-key",
    message: `unknown key ${JSON.stringify(key)} in match`,
    remedy: didYouMean(key, known) || `match on one of: ${facts}`,
  };
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, MOST_LISTED).join(", ")}${names.length > MOST_LISTED ? ", …" : ""}`;
}
