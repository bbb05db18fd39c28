import { basename } from "node:path";
import type { DesiredZone } from "../../lib/config/desired.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { EXIT } from "../../lib/core/exit-code.ts";
import { fileArgument } from "../../lib/core/shell.ts";
import { counted } from "../../lib/report/lines/words.ts";
import { StateError } from "../../lib/state/error.ts";
import { decodeLost, type LostResults } from "../../lib/state/lost-results.ts";
import { judgeLost, type Merge, mergeLost } from "../../lib/state/merge.ts";
import { describeHolding } from "../../lib/state/holding.ts";
import type { Holding } from "../../lib/state/store.ts";
import type { Context } from "../context.ts";
import { readStateLines } from "../state-addresses.ts";
import { holdingNow } from "../state-locks.ts";
import { printSafe } from "../state-printing.ts";
import { readStateZones, type StateWriteFlags, type StateZones, underLock } from "../states.ts";

/** What `zoneform state merge` does. */
export async function runStateMerge(context: Context, file: string, flags: StateWriteFlags): Promise<void> {
  const found = await readStateZones(context, flags);
  const lost = await readLost(context, found, file);
  const { store } = found.world;
  const zone = found.zones.find(({ id }) => id === lost.zone.id);
  if (!zone) throw ofAnotherZone(lost);
  if (flags.dryRun) {
    const merge = await judgeLost(found.world, lost);
    if (merge.isFinished) return printSafe(context, finishedText(lost, file));
    const holding = merge.missing.length === 0 ? undefined : await holdingNow(store, zone.id);
    return printSafe(context, `${wouldMerge(lost, merge)}${lockedText(holding, found.world.clock.now())}`);
  }
  const merged = await underLock(context, flags, { store, zone }, "state merge", (lease) =>
    mergeLost(found.world, lease, lost),
  );
  if (merged.isFinished) return printSafe(context, finishedText(lost, file));
  const { missing, saved } = merged;
  const what =
    missing.length === 0
      ? `the state of ${lost.zone.name} has ${resultsOf(lost, lost.records.length)} already`
      : `merged ${resultsOf(lost, missing.length)} into the state of ${lost.zone.name} (serial ${saved.state.serial})`;
  printSafe(context, `${what}; no API call was made. The file is no longer needed: ${fileArgument(file)}`);
}

/** An encrypted file opens only with the key of its zone, and its name begins with the id of that zone. */
async function readLost(context: Context, { world, zones }: StateZones, file: string): Promise<LostResults> {
  const isNamed = ({ id }: DesiredZone): boolean => basename(file).startsWith(id);
  let closed: StateError | undefined;
  for (const { id } of [...zones.filter(isNamed), ...zones.filter((zone) => !isNamed(zone))]) {
    const lines = readStateLines(world.fs, context.cwd, file, "lost results");
    try {
      return await decodeLost(world.store.outside?.open(id, lines, file) ?? lines, file);
    } catch (thrown) {
      if (!(thrown instanceof StateError) || thrown.diagnostic.code !== "state-not-opened") throw thrown;
      closed ??= thrown;
    }
  }
  throw closed ?? new Error("a project has a zone");
}

function wouldMerge(lost: LostResults, { missing, known }: Merge): string {
  const already = known === 0 ? "" : `; the state has ${known} already`;
  return `would merge ${resultsOf(lost, missing.length)} into the state of ${lost.zone.name}${already}`;
}

function finishedText({ zone, run }: LostResults, file: string): string {
  return `nothing to merge into the state of ${zone.name}: another run has finished the changes of run ${run}. The file is no longer needed: ${fileArgument(file)}`;
}

/** A merge takes the lock, so it has to be free by then. */
function lockedText(holding: Holding | undefined, now: number): string {
  if (!holding || holding.isAlive === false) return "";
  return `; the state is ${describeHolding(holding, now)}: see zoneform state lock`;
}

function resultsOf({ run }: LostResults, count: number): string {
  return `${counted(count, "result")} of run ${run}`;
}

function ofAnotherZone({ zone, project }: LostResults): Refusal {
  const message = `the file is not merged: it belongs to zone ${zone.name} (${zone.id}) of project ${project}`;
  const remedy = "run this command in the project with that zone, without --zone or with that one";
  return new Refusal([error({ code: "lost-results-refused", message, remedy })], EXIT.refused);
}
