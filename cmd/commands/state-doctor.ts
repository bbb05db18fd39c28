import type { Command } from "commander";
import type { Diagnostic } from "../../lib/core/diagnostic.ts";
import { type Context, print, printingOn } from "../context.ts";
import { type StateZones, readStateZones, printSafe } from "../states.ts";
import { examineApprovals } from "../../lib/approval/kept.ts";
import { examine } from "../../lib/state/upkeep/doctor.ts";
import { examinedDocument } from "../../lib/report/commands/state.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { formatDiagnostics } from "../../lib/report/lines/diagnostics.ts";
import { missingObjects } from "../../lib/engine/look-up.ts";
import { isOfThePlace, StateError } from "../../lib/state/error.ts";
import { loadState } from "../../lib/state/load.ts";
import { openReadingWorld } from "../world.ts";
import type { ServiceFlags } from "../flags.ts";

type DoctorFlags = ServiceFlags & { readonly live?: boolean; readonly json?: boolean };

/** Runs `zoneform state doctor`. */
export async function runStateDoctor(context: Context, own: DoctorFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<DoctorFlags>() };
  const found = await readStateZones(context, flags);
  const store = found.world.store;
  const gone = flags.live ? await goneByZone(context, flags, found) : new Map<string, readonly string[]>();
  let hasErrors = false;
  const examined: Parameters<typeof examinedDocument>[0][number][] = [];
  for (const zone of found.zones) {
    const { facts, findings } = await examine(store, zone.id, found.world.clock.now(), [examineApprovals], zone.name);
    hasErrors ||= findings.some(({ severity }) => severity === "error");
    examined.push({ zone, facts, gone: gone.get(zone.id) ?? [], findings });
    if (flags.json) continue;
    const missing = (gone.get(zone.id) ?? []).map((fact) => `gone: ${fact}`);
    const verdict = findings.length === 0 ? "nothing is wrong" : "problems found, listed below";
    const said = [`${zone.name}: ${verdict}`, ...[...facts, ...missing].map((fact) => `  ${fact}`)];
    printSafe(context, said.join("\n"));
    const named = found.zones.length === 1 ? findings : findings.map((each) => ofZone(zone.name, each));
    if (findings.length > 0)
      print(context.stdout, formatDiagnostics(named, { format: "text", ...printingOn(context, flags) }));
  }
  if (flags.json) print(context.stdout, jsonText(examinedDocument(examined)));
  context.exit(hasErrors ? 1 : 0);
}

function ofZone(name: string, finding: Diagnostic): Diagnostic {
  return finding.message.includes(name) ? finding : { ...finding, message: `${name}: ${finding.message}` };
}

/** The tracked objects that are deleted live, by zone id; none for a zone whose state cannot be read. */
async function goneByZone(
  context: Context,
  flags: DoctorFlags,
  { world: { store }, project, zones }: StateZones,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const world = openReadingWorld(context, flags);
  const gone = new Map<string, readonly string[]>();
  const client = world.connect(project.desired.budget);
  for (const zone of zones) {
    const loaded = await loadState(store, zone.id).catch((thrown: unknown) => {
      if (isOfThePlace(thrown)) throw thrown;
      if (thrown instanceof StateError) return undefined;
      throw thrown;
    });
    const lines: string[] = [];
    if (loaded)
      for (const { address, object } of await missingObjects(client, zone.id, loaded.state, world.signal))
        lines.push(
          `${address} (${object.id}) is in the state, but no longer live; the next plan shows what an apply would do`,
        );
    gone.set(zone.id, lines);
  }
  return gone;
}
