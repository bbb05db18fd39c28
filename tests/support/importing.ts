import { withDeclaration } from "../../lib/config/declare.ts";
import { findForImport, importIntoState } from "../../lib/engine/import.ts";
import { at, text } from "./emulator.ts";
import { HOLDER, openRig, type Rig, ZONE } from "./engine.ts";
import { fillZone, WHOLE_ZONE } from "./whole-zone.ts";

const DAY_MILLISECONDS = 24 * 3_600_000;

/** A rig whose zone has an object of every kind and sort, all imported with `--write` into an empty zone file. */
export async function importedZone(): Promise<Rig> {
  const rig = openRig({ zone: WHOLE_ZONE, files: { "zones/a.yaml": { version: 1, zone: ZONE } } });
  fillZone(rig);
  await rig.wait(DAY_MILLISECONDS);
  for (const [id, address] of idsOf(rig)) await importWritten(rig, id, address);
  return rig;
}

/** The import ids of everything live, with an address if the id does not tell the kind. */
function idsOf({ service, admin }: Rig): readonly (readonly [id: string, address?: string])[] {
  const zone = service.core.store.zones.get(ZONE.id);
  if (!zone) throw new Error("the rig has no zone");
  const settings = ["fallback_origin", "total_tls", "waf_migration"];
  return [
    ...settings.map((address) => [ZONE.id, address] as const),
    ...[...zone.hostnames.all()].map(({ id }) => [`${ZONE.id}/${id}`] as const),
    ...advancedPacks(admin).map((id) => [`${ZONE.id}/${id}`] as const),
    ...[...zone.rulesets.values()].flatMap(({ kind, id }) =>
      kind === "zone" ? [[`zone/${ZONE.id}/${id}`] as const] : [],
    ),
  ];
}

function advancedPacks(admin: Rig["admin"]): readonly string[] {
  const { body } = admin.dashboard("GET", `/zones/${ZONE.id}/ssl/certificate_packs?status=all`);
  const packs = at(JSON.parse(body), "result");
  const advanced = Array.isArray(packs) ? packs.filter((pack) => at(pack, "type") === "advanced") : [];
  return advanced.map((pack) => text(pack, "id"));
}

/** Imports one object as `zoneform import --write` does. */
export async function importWritten(rig: Rig, id: string, address?: string): Promise<void> {
  const project = { file: rig.file };
  let found = await findForImport(rig.world(), project, id, address);
  if (!found.object) {
    const file = found.zone.at.file;
    rig.write(file, withDeclaration(rig.read(file), found.kind, found.live.key, found.kind.declared(found.live)));
    found = await findForImport(rig.world(), project, id, address);
  }
  const { object } = found;
  if (!object) throw new Error(`${found.address} was not declared by --write`);
  await importIntoState(rig.world(), { ...found, object }, HOLDER, 0);
}
