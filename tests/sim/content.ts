import { isObject, type Json, type JsonObject, leaves } from "../../lib/core/json.ts";
import type { SimService } from "./sim-service.ts";
import { trueHold, trueSetting } from "./truth.ts";
import { OWN_PREFIX, PHASE } from "./wish.ts";

/** What somebody wrote into an object, as the service keeps it: by path, values as JSON. Without statuses. */
export type Content = Readonly<Record<string, string>>;

/** What the service fills into a rule. */
const FILLED_IN = new Set(["id", "version", "last_updated"]);

/** The content of an object, with its name from `judge-reads.ts`; undefined if it does not exist. */
export function contentOf(service: SimService, object: string): Content | undefined {
  const [kind = "", id = ""] = object.split(" ");
  const { fallbackOrigin, totalTls, packs, waf } = service.zone();
  switch (kind) {
    case "custom_hostname":
      return hostnameContent(service, id);
    case "certificate_pack": {
      const pack = packs.get(id);
      return pack && flat({ hosts: [...pack.hosts], authority: pack.chosenAuthority });
    }
    case "fallback_origin":
      return fallbackOrigin && fallbackOrigin.status !== "pending_deletion"
        ? flat({ origin: fallbackOrigin.origin })
        : undefined;
    case "total_tls":
      return flat({ enabled: totalTls.enabled, authority: totalTls.authority });
    case "zone_hold": {
      const { hold, subdomains, after } = trueHold(service);
      return flat(hold ? { hold, include_subdomains: subdomains, hold_after: after } : { hold });
    }
    case "zone_setting":
      return flat({ value: trueSetting(service, id) ?? null });
    case "ruleset":
      return rulesetContent(service);
    case "overrides":
      return Object.fromEntries(waf.overrides.map((override) => [override.id, JSON.stringify(override.urls)]));
    default:
      return {};
  }
}

function hostnameContent(service: SimService, id: string): Content | undefined {
  const record = service.zone().hostnames.get(id);
  if (!record) return undefined;
  const { ssl, customOriginServer, customOriginSni, customMetadata } = record;
  return flat({
    ...(customOriginServer === null ? {} : { custom_origin_server: customOriginServer }),
    ...(customOriginSni === null ? {} : { custom_origin_sni: customOriginSni }),
    ...(customMetadata === null ? {} : { custom_metadata: customMetadata }),
    ...(ssl === null ? {} : { ssl: { method: ssl.method, settings: ssl.settings } }),
  });
}

/** Our rules and foreign ones, each whole, and the entry point's own fields. */
function rulesetContent(service: SimService): Content | undefined {
  const found = [...service.zone().rulesets.values()].find(({ phase, kind }) => phase === PHASE && kind === "zone");
  const version = found?.versions.at(-1);
  if (!version) return undefined;
  const rules = version.rules.map((rule): [string, string] => {
    const { ref } = rule;
    const kept = Object.entries(rule).filter(([name]) => !FILLED_IN.has(name));
    return [`rule ${typeof ref === "string" ? ref : ""}`, JSON.stringify(kept)];
  });
  return { ...Object.fromEntries(rules), description: JSON.stringify(version.description) };
}

/** Whether a field of a ruleset is one of our rules. */
export function isOurRule(leaf: string): boolean {
  return leaf.startsWith(`rule ${OWN_PREFIX}`);
}

/** An object's leaves, in a record. */
export function flat(value: JsonObject): Content {
  const found: [string, string][] = leaves(value).flatMap(({ path, value: leaf }) =>
    isEmpty(leaf) ? [] : [[path.join("."), JSON.stringify(leaf)]],
  );
  return Object.fromEntries(found);
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
