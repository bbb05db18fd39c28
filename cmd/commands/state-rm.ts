import { projectsIn, type StateStores } from "../../lib/state/stores.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import type { Context } from "../context.ts";
import { copyLines, removeCopy } from "./state-copy.ts";
import { forgetObject, type Tracked, trackedObject, underLock, printSafe } from "../states.ts";
import { counted } from "../../lib/core/words.ts";
import { readObservations } from "../../lib/state/observations.ts";
import { claimText, ownClaims } from "../../lib/plan/claims.ts";
import { refuseInUse, retire, type Retiring, retiring } from "../../lib/state/upkeep/retire.ts";
import { markOf, type MovingMark, refuseMovedAway } from "../../lib/state/zone/marks.ts";
import { enterProject, readHeading } from "../../lib/engine/world.ts";
import type { LocalWorld } from "../../lib/real/world.ts";
import { localWorld } from "../world.ts";
import { Refusal, refusal } from "../../lib/core/diagnostic.ts";
import { confirmWithUser, TRY_FIRST } from "../confirming.ts";
import type { StateWriteFlags } from "../flags.ts";

type RemoveFlags = StateWriteFlags & {
  readonly copy?: string;
  readonly force?: boolean;
  readonly autoApprove?: boolean;
};

/** Runs `zoneform state rm`. */
export async function runStateRemove(context: Context, address: string | undefined, flags: RemoveFlags): Promise<void> {
  if (flags.copy !== undefined && address !== undefined) throw unclear();
  if (flags.copy !== undefined) return removeCopy(context, flags, flags.copy);
  if (address === undefined) return removeZone(context, flags);
  const tracked = await trackedObject(context, flags, address);
  if (!flags.dryRun) await forgetObject(context, flags, tracked);
  const verb = flags.dryRun ? "would release" : "released";
  printSafe(context, `${verb} ${tracked.address} from the state; ${wayBack(tracked)}`);
}

/** Needs neither the service nor the YAML: the zone may be gone from both. */
async function removeZone(context: Context, flags: RemoveFlags): Promise<void> {
  const world = localWorld(context, flags);
  const { project, stores, found } = await findZone(world, flags, await onlyZone(flags));
  const store = stores.of(project);
  if (!flags.force) refuseInUse(found);
  const mark = markOf(stores, project, world);
  refuseMovedAway(await mark.read(), found.id, stores.describe());
  const observed = (await readObservations(store, found.id)).byId.size;
  const objects = found.state ? ` (${found.state.objects.size} objects)` : "";
  const seen = observed === 0 ? "" : `, and the observations of ${counted(observed, "hostname")}`;
  const what = `the state of ${found.name}${objects}${seen}`;
  const claims = ownClaims(await stores.claims.list(), project, found.id).map(claimText);
  const claimed = claims.length === 0 ? [] : [`the claims of project ${project} there: ${claims.join(", ")}`];
  if (flags.dryRun) {
    const lines = [`would remove ${what}; changes nothing live`, ...claimed.map((each) => `would release ${each}`)];
    return printSafe(context, lines.join("\n"));
  }
  printSafe(context, `this removes ${what}; changes nothing live, but Zoneform no longer manages the objects`);
  if (!(await promptApproval(context, flags))) return context.exit(1);
  const copies = await underLock(context, flags, { store, zone: found }, "state rm", async (lease) => {
    // Read again, because a run may have come in between.
    const now = await retiring(store, found.id, [found.id]);
    if (!flags.force) refuseInUse(now);
    refuseMovedAway(await mark.read(), found.id, stores.describe());
    // Before the state is deleted: an interrupted removal can be called again as long as there is a state.
    await stores.claims.release(project, found.id, () => store.checkLease(found.id, lease));
    const names = await retire(store, lease, now);
    // Abandons the rest of an interrupted move, so that the zones can start again here.
    const kept = await store.zones();
    await mark.change(
      (found) => found && without(found, now.id, kept),
      () => store.checkLease(now.id, lease),
    );
    return names;
  });
  const lines = [`removed ${what}`, ...(await copyLines(flags, store, found.id, copies))];
  printSafe(context, [...lines, ...claimed.map((each) => `released ${each}`)].join("\n"));
}

/**
 * The mark without a zone that was on its way, and without zones that have not arrived at all; none if no other is
 * left.
 */
function without(mark: MovingMark, zone: ZoneId, kept: readonly ZoneId[]): MovingMark | undefined {
  if (mark.direction === "away" || (mark.zones.length > 0 && !mark.zones.includes(zone))) return mark;
  const zones = mark.zones.filter((each) => each !== zone && kept.includes(each));
  return zones.length === 0 ? undefined : { ...mark, zones };
}

interface FoundZone {
  readonly project: string;
  readonly stores: StateStores;
  readonly found: Retiring;
}

/** The zone, among those of the project; of all projects if the project file is gone or cannot be read. */
async function findZone(world: LocalWorld, flags: RemoveFlags, wanted: string): Promise<FoundZone> {
  // The states of an interrupted move do not count yet, and the old place may be gone.
  const openStores = flags.force ? world.openMoving : world.openStores;
  const heading = await readHeading(world, flags.config).catch(noHeading);
  if (heading) {
    const { project, stores, store } = await enterProject({ ...world, openStores }, { heading });
    const mark = await markOf(stores, project, world).read();
    return { project, stores, found: await retiring(store, wanted, mark?.zones) };
  }
  const stores = await openStores({});
  const all: FoundZone[] = [];
  let none: unknown;
  for (const project of projectsIn(await stores.kept())) {
    try {
      all.push({ project, stores, found: await retiring(stores.of(project), wanted) });
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      none ??= thrown;
    }
  }
  const [only, ...others] = all;
  if (only && others.length === 0) return only;
  throw only ? ofSeveralProjects(wanted, all) : (none ?? noStates(wanted, stores.describe()));
}

function noHeading(thrown: unknown): undefined {
  if (!(thrown instanceof Refusal)) throw thrown;
}

function ofSeveralProjects(wanted: string, found: readonly FoundZone[]): Refusal {
  const names = found.map(({ project }) => project).join(", ");
  const message = `several projects have a state of a zone ${JSON.stringify(wanted)}: ${names}`;
  const remedy = "run it where the file of the right project is, or name that file with --config";
  return refusal({ code: "which-zone", message, remedy });
}

function noStates(wanted: string, place: string): Refusal {
  const message = `there is no state of a zone ${JSON.stringify(wanted)}: ${place} has no project`;
  const remedy = "run it where the project file is, or name that file with --config";
  return refusal({ code: "no-state", message, remedy });
}

async function onlyZone({ zone = [] }: RemoveFlags): Promise<string> {
  const [wanted, ...others] = zone;
  if (wanted !== undefined && others.length === 0) return wanted;
  throw unclear();
}

function unclear(): Refusal {
  const message = "it is not clear what to remove from the state";
  const remedy =
    "give the address of an object; or --zone with --copy; or, to remove the whole state of a zone, --zone alone";
  return refusal({ code: "which-zone", message, remedy });
}

async function promptApproval(context: Context, { autoApprove }: RemoveFlags): Promise<boolean> {
  if (autoApprove) return true;
  return confirmWithUser(context, {
    ask: "Remove it?",
    declined: "not approved; nothing was removed",
    what: "the removal",
    remedy: TRY_FIRST,
  });
}

function wayBack({ object, importArguments }: Tracked): string {
  const stays = object.pending ? "a run was stopped while it created it, so it may be live" : "it stays live";
  if (importArguments === undefined) return `${stays}; if it is declared, see: zoneform plan`;
  return `${stays}; to manage it again: zoneform import ${importArguments}`;
}
