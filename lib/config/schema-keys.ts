import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { isObject } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { Steps } from "./document.ts";
import type { SchemaProblem } from "#validators";

/** At most this many known names are listed in a remedy. */
const MOST_LISTED = 12;

/** Names under which people look for a place to put an endpoint or a credential. */
const CREDENTIAL_KEYS =
  /^(cloudflare)?(api|auth|base|access)?(url|baseurl|apiurl|token|key|email|endpoint|credential|credentials|host|server)$/;

/** What to say about a key that the schema does not have. */
export function unknownKey(
  key: string,
  path: Steps,
  problem: SchemaProblem,
): { code: DiagnosticCode; message: string; remedy: string } {
  const known = isObject(problem.parentSchema?.["properties"]) ? Object.keys(problem.parentSchema["properties"]) : [];
  const message = `${JSON.stringify(key)} is not a key of ${nameOf(path)}`;
  const near = didYouMean(key, known);
  if (problem.parentSchema?.["title"] === "Match") return unknownFact(key, known);
  if (near === "" && CREDENTIAL_KEYS.test(key.toLowerCase().replaceAll(/[_-]/g, ""))) {
    return {
      code: "endpoint-or-credential",
      message: `${message}: endpoints and credentials never come from a file of the project`,
      remedy: "remove it; use the environment (CLOUDFLARE_API_TOKEN, CLOUDFLARE_BASE_URL) or --api-url",
    };
  }
  if (near !== "") return { code: "unknown-key", message, remedy: near };
  const [first] = key.split(".");
  if (first !== undefined && first !== key && known.includes(first)) {
    const nested = key.split(".").join(": { ");
    return {
      code: "unknown-key",
      message,
      remedy: `write it nested: ${nested}: … ${"}".repeat(key.split(".").length - 1)}`,
    };
  }
  return { code: "unknown-key", message, remedy: `remove it; ${listed("known here", known)}` };
}

function unknownFact(key: string, known: readonly string[]): { code: DiagnosticCode; message: string; remedy: string } {
  if (/status|state|verified|active|expir|issued|created|updated/.test(key)) {
    return {
      code: "unstable-fact",
      message: `a match cannot look at ${JSON.stringify(key)}: it moves by itself, and the same YAML would mean something else tomorrow`,
      remedy: `use a fact that stays: ${[...known, "metadata.NAME", "label.NAME"].join(", ")}`,
    };
  }
  return {
    code: "unknown-key",
    message: `${JSON.stringify(key)} is not a fact that a match can look at`,
    remedy: didYouMean(key, known) || `use one of ${[...known, "metadata.NAME", "label.NAME"].join(", ")}`,
  };
}

/** The first names of a list, for a remedy. */
export function listed(lead: string, names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).join(", ");
  return `${lead}: ${shown}${names.length > MOST_LISTED ? ", …" : ""}`;
}

/** A path as people read it: `custom_hostnames.policies[0].set.ssl`. */
export function nameOf(path: Steps): string {
  if (path.length === 0) return "the file";
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return `${index === 0 ? "" : "."}${/^[\w-]+$/.test(step) ? step : JSON.stringify(step)}`;
    })
    .join("");
}
