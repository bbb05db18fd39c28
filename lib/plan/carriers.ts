import { problem } from "../core/diagnostic.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import { kindNamed, KINDS } from "../kinds/registry.ts";
import type { Change, Refused } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { localAddress } from "./targets.ts";

/**
 * The kind that a new object depends on: without a fallback origin, a new hostname would be live but unreachable.
 * Undefined for none.
 */
export function needsCarrier({ kind, action }: Pick<Change, "kind" | "action">): KindName | undefined {
  return action === "create" ? KINDS.find(({ carries }) => carries?.kind === kind)?.name : undefined;
}

/** The kind whose live objects stop working when this one is deleted. Undefined for none. */
export function cutsOff({ kind, action }: Pick<Change, "kind" | "action">): KindName | undefined {
  return action === "delete" ? kindNamed(kind).carries?.kind : undefined;
}

/** Refuses to delete a fallback origin if the plan refuses to delete a hostname that uses it. */
export function keepCarriers(changes: readonly Change[]): readonly Change[] {
  return changes.map((change) => {
    const carried = change.refused ? undefined : cutsOff(change);
    if (carried === undefined) return change;
    const staying = changes.filter(({ kind, action, refused }) => kind === carried && action === "delete" && refused);
    return staying.length === 0 ? change : { ...change, refused: stillServes(staying) };
  });
}

/**
 * How many live hostnames use this object; empty for kinds that serve no hostnames, or if the hostnames were not read.
 */
export function carriedBy({ live }: PlanInput, { carries }: Kind): { readonly carried?: number } {
  const hostnames = carries && live.objects.get(carries.kind);
  return hostnames ? { carried: [...hostnames.values()].filter(carries.isCarried).length } : {};
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
  const carriers = changes.flatMap((change) => (cutsOff(change) && kindNamed(change.kind).carries) || []);
  if (carriers.length === 0) return 0;
  const going = changes.filter(({ action, refused }) => action === "delete" && !refused);
  const gone = new Set(going.map(({ kind, key }) => localAddress(kind, key)));
  const stranded = carriers.map(({ kind, isCarried }) =>
    [...(live.objects.get(kind)?.values() ?? [])].filter(
      (each) => isCarried(each) && !gone.has(localAddress(kind, each.key)),
    ),
  );
  return stranded.flat().length;
}

function stillServes(staying: readonly Change[]): Refused {
  const [first, ...others] = staying;
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  return problem(
    "still-serves",
    {
      message: `${first?.key}${rest} may not be deleted, and would be left without an origin`,
    },
    { remedy: "resolve that first; the origin is deleted once they are gone" },
  );
}
