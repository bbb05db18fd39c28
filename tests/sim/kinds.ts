import type { KindName } from "../../lib/kinds/kind.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { certificatePack } from "./kinds/certificate-pack.ts";
import { customHostname } from "./kinds/custom-hostname.ts";
import { fallbackOrigin } from "./kinds/fallback-origin.ts";
import type { Content, LiveName, SimKind } from "./kinds/kind.ts";
import { ruleset } from "./kinds/ruleset.ts";
import { totalTls } from "./kinds/total-tls.ts";
import { wafMigration } from "./kinds/waf-migration.ts";
import { zoneHold } from "./kinds/zone-hold.ts";
import { zoneSetting } from "./kinds/zone-setting.ts";
import type { SimService } from "./sim-service.ts";
import { pathInZone } from "./zones.ts";

/**
 * What the simulation knows of each kind: a registered kind without an entry does not compile. Random edits are drawn in
 * this order, so another order plays another story for each seed.
 */
export const SIM_KINDS: Readonly<Record<KindName, SimKind>> = {
  custom_hostname: customHostname,
  ruleset,
  total_tls: totalTls,
  fallback_origin: fallbackOrigin,
  zone_setting: zoneSetting,
  zone_hold: zoneHold,
  certificate_pack: certificatePack,
  waf_migration: wafMigration,
};

/** The entries, each with its name. */
export const ALL_KINDS: readonly (readonly [KindName, SimKind])[] = namesOf(SIM_KINDS).map((name) => [
  name,
  SIM_KINDS[name],
]);

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): readonly Name[] {
  const names: Name[] = [];
  for (const name in record) names.push(name);
  return names;
}

/** Every live object that has an id of its own, by its kind. */
export function liveNames(service: SimService): readonly (LiveName & { readonly kind: KindName })[] {
  return ALL_KINDS.flatMap(([kind, { live }]) => live?.(service).map(({ id, name }) => ({ kind, id, name })) ?? []);
}

/**
 * The object that a request is about, by the name that judges use for it: its kind, and its id if it has one. Undefined
 * if there is none.
 */
export function objectAt(request: HttpRequest): string | undefined {
  const path = pathInZone(request.url);
  for (const [kind, { idAt }] of ALL_KINDS) {
    const id = idAt(path);
    if (id !== undefined) return id === "" ? kind : `${kind} ${id}`;
  }
  return undefined;
}

/** The entry of the kind whose list a path in the zone belongs to. */
export function kindListedAt(path: string): SimKind | undefined {
  return ALL_KINDS.find(([, { list }]) => list !== undefined && `${path}/`.startsWith(`${list}/`))?.[1];
}

/** The entry of an object's kind, and its id, from the name that `objectAt` gives. */
export function kindOfObject(object: string): { readonly kind: SimKind; readonly id: string } {
  const [name = "", id = ""] = object.split(" ");
  const found = ALL_KINDS.find(([each]) => each === name);
  if (!found) throw new Error(`the simulation knows no kind ${name}`);
  return { kind: found[1], id };
}

/** What somebody wrote into an object, as the service keeps it; undefined if it does not exist. */
export function contentOf(service: SimService, object: string): Content | undefined {
  const { kind, id } = kindOfObject(object);
  return kind.content(service, id);
}
