import { problem } from "../core/problem.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Change, Refused } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** Hostnames without an origin of their own use the fallback origin (docs/service.md#traffic). */
const CARRIER: KindName = "fallback_origin";
const CARRIED: KindName = "custom_hostname";

/**
 * The kind that a new object depends on: without a fallback origin, a new hostname would be live but unreachable.
 * Undefined for none.
 */
export function needsCarrier({ kind, action }: Pick<Change, "kind" | "action">): KindName | undefined {
  return kind === CARRIED && action === "create" ? CARRIER : undefined;
}

/** The kind whose live objects stop working when this one is deleted. Undefined for none. */
export function cutsOff({ kind, action }: Pick<Change, "kind" | "action">): KindName | undefined {
  return kind === CARRIER && action === "delete" ? CARRIED : undefined;
}

/** Refuses to delete a fallback origin if the plan refuses to delete a hostname that uses it. */
export function keepCarriers(changes: readonly Change[]): readonly Change[] {
  const staying = changes.filter(({ kind, action, refused }) => kind === CARRIED && action === "delete" && refused);
  if (staying.length === 0) return changes;
  return changes.map((change) =>
    cutsOff(change) && !change.refused ? { ...change, refused: stillServes(staying) } : change,
  );
}

/**
 * How many live hostnames use this object; empty for kinds that serve no hostnames, or if the hostnames were not read.
 */
export function carriedBy({ live }: PlanInput, kind: Kind): { readonly carried?: number } {
  const hostnames = kind.name === CARRIER ? live.objects.get(CARRIED) : undefined;
  return hostnames ? { carried: [...hostnames.values()].filter(isCarried).length } : {};
}

function isCarried({ values }: Live): boolean {
  return values["custom_origin_server"] === undefined;
}

/** Notes on the deletion of a fallback origin how many remaining hostnames lose their origin. */
export function countStranded(input: PlanInput, changes: readonly Change[]): readonly Change[] {
  const stranded = strandedBy(input, changes);
  if (stranded === 0) return changes;
  const many = stranded === 1 ? "1 live hostname uses it" : `${stranded} live hostnames use it`;
  const note = `${many} and would answer with error 1016`;
  return changes.map((change) => (cutsOff(change) ? { ...change, notes: [...change.notes, note] } : change));
}

/** How many live hostnames would stay and lose their origin; none if no fallback origin is deleted. */
export function strandedBy({ live }: Pick<PlanInput, "live">, changes: readonly Change[]): number {
  if (!changes.some(cutsOff)) return 0;
  const going = changes.filter(({ kind, action, refused }) => kind === CARRIED && action === "delete" && !refused);
  const gone = new Set(going.map(({ key }) => key));
  return [...(live.objects.get(CARRIED)?.values() ?? [])].filter((each) => !gone.has(each.key) && isCarried(each))
    .length;
}

function stillServes(staying: readonly Change[]): Refused {
  const [first, ...others] = staying;
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  return problem("still-serves", {
    message: `${first?.key}${rest} may not be deleted, and would be left without an origin`,
  });
}
