import { type Json, type JsonObject, leaves } from "../../lib/core/json.ts";
import { type Rig, ZONE } from "../support/engine.ts";

type Zone = NonNullable<ReturnType<Rig["service"]["core"]["store"]["zones"]["get"]>>;

/** The zone as the service itself knows it. */
export function zoneOf(rig: Rig): Zone {
  const zone = rig.service.core.store.zones.get(ZONE.id);
  if (!zone) throw new Error("the rig has its zone");
  return zone;
}

/** A hostname as the service keeps it, in the shape of the YAML; the CA is the one that issued, or will. */
export function storedHostname(rig: Rig, hostname: string): JsonObject | undefined {
  const record = zoneOf(rig).hostnames.named(hostname);
  if (!record) return undefined;
  const { ssl } = record;
  const stored = {
    ...(record.customOriginServer === null ? {} : { custom_origin_server: record.customOriginServer }),
    ...(record.customOriginSni === null ? {} : { custom_origin_sni: record.customOriginSni }),
    ...(record.customMetadata === null ? {} : { custom_metadata: record.customMetadata }),
    ...(ssl === null ? {} : { ssl: storedSsl(ssl) }),
  };
  return JSON.parse(JSON.stringify(stored));
}

type Certificate = NonNullable<ReturnType<Zone["hostnames"]["all"]>[number]["ssl"]>;

function storedSsl(ssl: Certificate): object {
  return {
    type: "dv",
    method: ssl.method,
    ...(ssl.uploaded ? {} : { certificate_authority: shownAuthority(ssl) }),
    bundle_method: ssl.bundleMethod,
    wildcard: ssl.wildcard,
    cloudflare_branding: ssl.branding,
    settings: ssl.settings,
    uploaded: ssl.uploaded,
  };
}

function shownAuthority({ chosenAuthority, status, issued }: Certificate): string {
  return chosenAuthority !== "" && status !== "active" ? chosenAuthority : (issued?.authority ?? "google");
}

/** Whether hostname and certificate are active, so that nothing of it is held. */
export function isActive(rig: Rig, hostname: string): boolean {
  const record = zoneOf(rig).hostnames.named(hostname);
  return record?.status === "active" && (record.ssl === null || record.ssl.status === "active");
}

/** The rules of an entry point, in order, as the service keeps them; undefined if the phase has none. */
export function storedRules(rig: Rig, phase: string): readonly JsonObject[] | undefined {
  const ruleset = [...zoneOf(rig).rulesets.values()].find((each) => each.phase === phase && each.kind === "zone");
  const rules: readonly JsonObject[] | undefined =
    ruleset && JSON.parse(JSON.stringify(ruleset.versions.at(-1)?.rules));
  return rules;
}

/** The leaves of an object by their dotted path. */
export function flat(value: JsonObject): Readonly<Record<string, Json>> {
  return Object.fromEntries(leaves(value).map(({ path, value: leaf }) => [path.join("."), leaf]));
}
