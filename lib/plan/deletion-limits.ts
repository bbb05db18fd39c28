import { problem } from "../core/diagnostic.ts";
import type { DeletionLimit } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import { successorKey } from "../kinds/retired.ts";
import type { StateObject } from "../state/state.ts";
import { cutsOff, keepCarriers } from "./carriers.ts";
import type { Change, Refused, ZonePlan } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** The code of a block that approving the plan's hash lifts (`apply --approve HASH`). */
export const DELETION_LIMIT = "deletion-limit";

/**
 * Blocks a kind's deletions and replacements if there are more of them than the zone's limit allows. Percentages count
 * for few objects too: a limit that began at ten objects would not protect a zone of nine. A destroy is blocked as a
 * whole: without its rules, a hostname that stays would be served unprotected.
 */
export function limitDeletions(input: PlanInput, changes: readonly Change[]): readonly Change[] {
  // Limits that an approval cannot lift come first.
  const limited = KINDS.reduce((judged, kind) => limitKind(input, kind, judged), keepCarriers(changes));
  const over = limited.find(({ refused }) => refused?.code === DELETION_LIMIT)?.refused;
  if (!input.isDestroy || !over) return limited;
  return limited.map((change) => (change.refused ? change : { ...change, refused: over }));
}

/** The part of a destroy for one zone. */
interface Destroyed {
  readonly section: ZonePlan;
  readonly stranded: number;
}

/**
 * The zones of a destroy. While something is blocked in any zone, the fallback origins of remaining hostnames are kept
 * too: they are deleted with the rest, or when their zone is destroyed alone.
 */
export function keepOrigins(zones: readonly Destroyed[]): readonly ZonePlan[] {
  const blocked = zones.flatMap(({ section }) => section.changes.flatMap(({ refused }) => refused?.code ?? []));
  if (blocked.length === 0) return zones.map(({ section }) => section);
  // Approving what exceeds the limits approves all of it.
  const code = blocked.every((each) => each === DELETION_LIMIT) ? DELETION_LIMIT : "still-serves";
  const blocking = zones.filter(({ section }) => section.changes.some(({ refused }) => refused));
  return zones.map(({ section, stranded }) => {
    const { zone, changes } = section;
    const isHere = blocking.some((each) => each.section === section);
    const refused: Refused = {
      code,
      message: `${isHere ? "other changes" : `changes in ${blocking[0]?.section.zone.name}`} are blocked, and hostnames that stay would lose their origin`,
      remedy: isHere ? "resolve that first" : `resolve that first, or destroy this zone alone: --zone ${zone.name}`,
    };
    const isKept = (change: Change): boolean => stranded > 0 && cutsOff(change) !== undefined && !change.refused;
    return { ...section, changes: changes.map((change) => (isKept(change) ? { ...change, refused } : change)) };
  });
}

/**
 * With more objects than this, one plan deletes at most a tenth unless the YAML says otherwise; with fewer, at most
 * half.
 */
const FEW = 20;

function shareAllowed({ share }: DeletionLimit, all: number): number {
  return share ?? (all <= FEW ? 0.5 : 0.1);
}

/** Percentages have two decimals at most, and whole numbers compare exactly: 0.29 * 100 is less than 29. */
const WHOLE = 10_000;

/** Whether the limit allows deleting `taken` of all tracked objects. */
export function allows(limit: DeletionLimit, taken: number, all: number): boolean {
  return taken <= limit.count && taken * WHOLE <= Math.round(shareAllowed(limit, all) * WHOLE) * all;
}

/** The tightest limit, in whole percent, that allows deleting `taken` of all tracked objects. */
export function limitFor(taken: number, all: number): { readonly percent: string; readonly count: number } {
  return { percent: `${Math.ceil((taken * 100) / all)}%`, count: taken };
}

function limitKind({ desired, state }: PlanInput, kind: Kind, changes: readonly Change[]): readonly Change[] {
  const limit = desired.deletionLimits.get(kind.name);
  const taken = new Set(changes.filter((change) => change.kind === kind.name && takesAway(kind, change)));
  if (!limit || taken.size === 0) return changes;
  const declared = new Set(desired.objects.flatMap((object) => (object.kind === kind.name ? [object.key] : [])));
  const going = new Set([...taken].map(({ key }) => key));
  const tracked = [...(state?.objects.values() ?? [])].filter(
    (object) => object.kind === kind.name && mayGo(kind, object, declared, going),
  ).length;
  // An object that is replaced before it was ever tracked is deleted too.
  const all = Math.max(tracked, taken.size);
  if (allows(limit, taken.size, all)) return changes;
  const refused = overLimit(kind.name, taken.size, all, limit);
  return changes.map((change) => (taken.has(change) ? { ...change, refused } : change));
}

function takesAway(kind: Kind, { action, refused, replaced }: Change): boolean {
  if (refused) return false;
  // With create-first, the old object is deleted after its successor serves traffic, so nothing is lost.
  if (kind.replacement === "create-first") return action === "delete" && !replaced;
  return action === "delete" || action === "replace";
}

/**
 * Whether a plan could delete the object. Others do not count in the total, because they would only make the share look
 * smaller.
 */
function mayGo(
  kind: Kind,
  { key, undeclared }: StateObject,
  declared: ReadonlySet<string>,
  going: ReadonlySet<string>,
): boolean {
  // Objects that only policies match are never deleted, and only replaced once they are declared.
  if (undeclared) return declared.has(key);
  // An object that waits for its successor would count twice.
  return kind.replacement !== "create-first" || successorKey(key) === undefined || going.has(key);
}

function overLimit(kind: string, taken: number, all: number, limit: DeletionLimit): Refused {
  const percent = (part: number): string => `${Number((part * 100).toFixed(2))}%`;
  const allowed = `${percent(shareAllowed(limit, all))}, and at most ${limit.count}`;
  const lifting = limitFor(taken, all);
  const limits = `{ ${kind}: { percent: ${lifting.percent}, count: ${lifting.count} } }`;
  const objects = `${kind.replaceAll("_", " ")}s`;
  return problem(DELETION_LIMIT, { taken, all, objects, share: percent(taken / all), allowed, limits });
}
