import { Command } from "commander";
import { type Context, print, type Run, type ServiceFlags } from "../context.ts";
import { withServiceFlags } from "../flags.ts";
import type { StateZones } from "../states.ts";

type DoctorFlags = ServiceFlags & { readonly live?: boolean };

/** `zoneform state doctor`: what is there of the states, what is wrong with it, and what to do. */
export function stateDoctorCommand(run: Run): Command {
  return withServiceFlags(new Command("doctor"))
    .description("read everything that is kept, and say what is wrong with it; exit 1 where something is in error")
    .option("--live", "also ask the service for each tracked object by its id, and name those that are gone")
    .addHelpText("after", "\nExample:\n  $ zoneform state doctor --zone saas.dev")
    .action(
      run(async (context, own: DoctorFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<DoctorFlags>() };
        const { examineApprovals } = await import("../../lib/approval/kept.ts");
        const { examine } = await import("../../lib/state/doctor.ts");
        const { formatDiagnostics } = await import("../../lib/report/lines/diagnostics.ts");
        const { isColoured } = await import("../context.ts");
        const { stateZones, withUpkeep } = await import("../states.ts");
        const { printSafe } = await import("../state-printing.ts");
        const found = await stateZones(context, flags);
        const store = withUpkeep(found.world.store);
        const gone = flags.live ? await goneByZone(context, flags, found) : new Map<string, readonly string[]>();
        let hasErrors = false;
        for (const zone of found.zones) {
          const { facts, findings } = await examine(store, zone.id, found.world.clock.now(), [examineApprovals]);
          hasErrors ||= findings.some(({ severity }) => severity === "error");
          const missing = (gone.get(zone.id) ?? []).map((fact) => `gone: ${fact}`);
          printSafe(context, [`Zone ${zone.name}`, ...[...facts, ...missing].map((fact) => `  ${fact}`)].join("\n"));
          const printing = { format: "text", colour: isColoured(context, flags) } as const;
          print(context.stdout, findings.length === 0 ? "  nothing is wrong" : formatDiagnostics(findings, printing));
        }
        context.exit(hasErrors ? 1 : 0);
      }),
    );
}

/** The tracked objects that are live no more, by zone id; a zone whose state cannot be read is left out. */
async function goneByZone(
  context: Context,
  flags: DoctorFlags,
  { project, zones }: StateZones,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { missingObjects } = await import("../../lib/engine/gone.ts");
  const { StateError } = await import("../../lib/state/error.ts");
  const { loadState } = await import("../../lib/state/load.ts");
  const { openWorld } = await import("../world.ts");
  const world = openWorld(context, flags);
  const gone = new Map<string, readonly string[]>();
  try {
    const client = world.connect(project.desired.budget);
    for (const zone of zones) {
      const loaded = await loadState(world.store, zone.id).catch((thrown: unknown) => {
        if (thrown instanceof StateError) return undefined;
        throw thrown;
      });
      const lines: string[] = [];
      if (loaded)
        for await (const { address, object } of missingObjects(client, zone.id, loaded.state, world.signal))
          lines.push(`${address} (${object.id}) is tracked and not live any more; the next plan says what follows`);
      gone.set(zone.id, lines);
    }
    return gone;
  } finally {
    await world.close();
  }
}
