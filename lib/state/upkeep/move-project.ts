import { problem, Refusal, refusal } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { EXIT } from "../../core/exit-code.ts";
import { type LoadedState, loadState, saveState } from "../load.ts";
import { completeCopy, copyZone } from "./copy-zone.ts";
import type { State } from "../state.ts";
import type { Lease } from "../lock.ts";
import type { ProjectStore } from "../zone/store.ts";

/** The states of a project under its old name and under its new one. */
export interface Renamed {
  readonly from: ProjectStore;
  readonly to: ProjectStore;
}

/** A zone whose state moves from one project to another. */
export interface MovingZone {
  readonly id: ZoneId;
  /** The name in the state; the id if only observations of hostnames are kept. */
  readonly name: string;
  readonly objects: number;
}

/**
 * The zones of a project whose states can move. Throws `Refusal` with exit code 4 if one of them has another state at
 * its destination, and `StateError` if one cannot be read.
 */
export async function movingZones(renamed: Renamed): Promise<readonly MovingZone[]> {
  const found: MovingZone[] = [];
  for (const id of await renamed.from.zones()) {
    const { source } = await readBoth(renamed, id);
    found.push({ id, name: source?.state.zone.name ?? id, objects: source?.state.objects.size ?? 0 });
  }
  return found;
}

/** The zone's locks in both projects. */
export interface Leases {
  readonly from: Lease;
  readonly to: Lease;
}

/**
 * Moves everything that is kept for a zone, including earlier copies. The new state is written before the old one is
 * deleted: after an interruption the zone has its state under the old name, under the new name, or the same one under
 * both, and calling it again completes it. Returns the copies that stay under the old name. Throws as `movingZones`
 * does.
 */
export async function moveZone(renamed: Renamed, zone: ZoneId, leases: Leases): Promise<readonly string[]> {
  const { from, to } = renamed;
  const { source, isThere } = await readBoth(renamed, zone);
  // Folded into one file: a journal does not move.
  if (source?.hasJournal) await saveState(from, leases.from, source.version, source.state);
  await (isThere ? completeCopy : copyZone)(from, to, zone, leases.to);
  return from.retire(zone, leases.from);
}

/** The state under the old name, and whether the new name already has it. */
async function readBoth(
  { from, to }: Renamed,
  zone: ZoneId,
): Promise<{ readonly source: LoadedState | undefined; readonly isThere: boolean }> {
  const source = await loadState(from, zone);
  const target = await loadState(to, zone, { acceptsOlder: true });
  if (!target || !source) return { source, isThere: false };
  if (isCopy(source, target)) return { source, isThere: true };
  throw anotherState(source.state, to.describe(zone));
}

/** An interrupted move left the same state under both names; since then, only the new one can have been applied. */
function isCopy(source: LoadedState, target: LoadedState): boolean {
  return (
    !source.hasJournal && target.state.lineage === source.state.lineage && target.state.serial >= source.state.serial
  );
}

function anotherState({ zone }: State, where: string): Refusal {
  const message = `${zone.name} has a state of its own there, so the other one cannot be moved: ${where}`;
  return refusal(problem("project-has-state", { message }), EXIT.refused);
}
