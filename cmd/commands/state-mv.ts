import { problem, Refusal, refusal } from "../../lib/core/diagnostic.ts";
import { projectsIn } from "../../lib/state/stores.ts";
import { copiesNamed } from "./state-copy.ts";
import { changeState, type Tracked, trackedObject, underLock, printSafe } from "../states.ts";
import type { Context } from "../context.ts";
import { addressFault, isNamedLive, spelledKey } from "../../lib/engine/look-up.ts";
import { moveInState } from "../../lib/state/state.ts";
import { parseTypedAddress } from "../../lib/kinds/registry.ts";
import { localAddress } from "../../lib/plan/targets.ts";
import { enterProject, readHeading } from "../../lib/engine/world.ts";
import { counted } from "../../lib/core/words.ts";
import { moveZone, type MovingZone, movingZones, type Renamed } from "../../lib/state/upkeep/move-project.ts";
import type { Lease } from "../../lib/state/lock.ts";
import { localWorld } from "../world.ts";
import type { StateWriteFlags } from "../flags.ts";

type MoveFlags = StateWriteFlags & { readonly project?: string };

/** Runs `zoneform state mv`. */
export async function runStateMove(
  context: Context,
  from: string | undefined,
  to: string | undefined,
  flags: MoveFlags,
): Promise<void> {
  if (flags.project !== undefined && from === undefined) return moveProject(context, flags.project, flags);
  if (flags.project !== undefined || from === undefined || to === undefined) throw unclear();
  const tracked = await trackedObject(context, flags, from);
  const target = toAddress(tracked, to);
  // Checked before the lock is taken, and again under it.
  moveInState(tracked.state, tracked.address, target, isNamedLive);
  if (!flags.dryRun)
    await changeState(context, flags, tracked, "state mv", (state) =>
      moveInState(state, tracked.address, target, isNamedLive),
    );
  printSafe(context, `${flags.dryRun ? "would move" : "moved"} ${tracked.address} to ${target}; changes nothing live`);
}

/**
 * The new address of a tracked object within its zone, with its key in the spelling of its kind. Throws `Refusal` for
 * an invalid address, or one in another zone.
 */
function toAddress({ zone }: Tracked, text: string): string {
  const fault = addressFault(text);
  const parts = parseTypedAddress(text);
  if (fault || !parts) throw new Refusal(fault ? [fault] : []);
  if (parts.zone === undefined || parts.zone === zone.name || parts.zone === zone.id)
    return localAddress(parts.kind, parts.key === undefined ? "" : spelledKey(parts.kind, parts.key));
  throw refusal(problem("moved-to-another-zone", { address: text, zone: zone.name }));
}

function unclear(): Refusal {
  return refusal(problem("which-move", { message: "it is not clear what to move in the state" }));
}

/** Needs no zone of the YAML, only the present name of the project. */
async function moveProject(context: Context, old: string, flags: MoveFlags): Promise<void> {
  const outer = localWorld(context, flags);
  const heading = await readHeading(outer, flags.config);
  const world = await enterProject(outer, { heading });
  const names = projectsIn(await world.stores.kept()).filter((name) => name !== world.project);
  if (!names.includes(old)) throw unknownProject(old, names, world.stores.describe());
  const renamed: Renamed = { from: world.stores.of(old), to: world.store };
  const moving = (await movingZones(renamed)).filter(({ id, name }) => isMeant(flags, id, name));
  const what = (zone: MovingZone): string =>
    `the state of ${zone.name} (${counted(zone.objects, "object")}) from project ${old} to ${world.project}`;
  if (moving.length === 0) printSafe(context, `project ${old} has no state to move`);
  for (const zone of moving) {
    if (flags.dryRun) {
      printSafe(context, `would move ${what(zone)}`);
      continue;
    }
    const copies = await moveUnderLocks(context, flags, renamed, zone, (lease) =>
      world.stores.claims.release(old, zone.id, () => renamed.from.checkLease(zone.id, lease)),
    );
    const kept = await copiesNamed(renamed.from, zone.id, copies);
    printSafe(context, [`moved ${what(zone)}`, ...kept.map(({ path }) => `  copy: ${path}`)].join("\n"));
  }
}

function isMeant({ zone = [] }: MoveFlags, id: string, name: string): boolean {
  return zone.length === 0 || zone.includes(id) || zone.includes(name);
}

async function moveUnderLocks(
  context: Context,
  flags: MoveFlags,
  renamed: Renamed,
  zone: MovingZone,
  release: (old: Lease) => Promise<void>,
): Promise<readonly string[]> {
  const { from, to } = renamed;
  return underLock(context, flags, { store: from, zone }, "state mv", (old) =>
    underLock(context, flags, { store: to, zone }, "state mv", async (lease) => {
      // Before the state is deleted: if the move is interrupted, calling it again finds what is left to release.
      await release(old);
      return moveZone(renamed, zone.id, { from: old, to: lease });
    }),
  );
}

function unknownProject(old: string, names: readonly string[], place: string): Refusal {
  const message = `there is no state of a project ${JSON.stringify(old)} in ${place}`;
  const remedy =
    names.length === 0
      ? "there are no states of another project there, so there is nothing to move"
      : `there are states of ${names.length === 1 ? "project" : "the projects"} ${names.join(", ")}`;
  return refusal({ code: "no-state", message, remedy });
}
