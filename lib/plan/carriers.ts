import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Change, Refused } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** Hostnames without an origin of their own use the fallback origin (docs/service.md#traffic). */
const CARRIER: KindName = "fallback_origin";
const CARRIED: KindName = "custom_hostname";

/** What a deletion takes from hostnames that stay. */
interface Taken {
  readonly from: KindName;
  readonly what: "origin" | "rules";
}

/** What is deleted only after the hostnames, and stays while one of them does. */
const TAKEN: { readonly [kind in KindName]?: Taken } = {
  fallback_origin: { from: CARRIED, what: "origin" },
  ruleset: { from: CARRIED, what: "rules" },
};

/**
 * The kind that a new object needs to be of use: without a fallback origin, a new hostname would be live but
 * unreachable. Undefined for none.
 */
export function needsCarrier({ kind, action }: Pick<Change, "kind" | "action">): KindName | undefined {
  return kind === CARRIED && action === "create" ? CARRIER : undefined;
}

/** What this change takes from live objects that need it. Undefined for nothing. */
export function takenBy({ kind, action }: Pick<Change, "kind" | "action">): Taken | undefined {
  return action === "delete" ? TAKEN[kind] : undefined;
}

/** Refuses to delete the fallback origin and the rules of hostnames that the plan refuses to delete. */
export function keepCarriers(changes: readonly Change[]): readonly Change[] {
  const staying = changes.filter(({ kind, action, refused }) => kind === CARRIED && action === "delete" && refused);
  if (staying.length === 0) return changes;
  return changes.map((change) => {
    const taken = takenBy(change);
    return taken && !change.refused ? { ...change, refused: stillServes(staying, taken) } : change;
  });
}

/** How many live hostnames use this object; empty for kinds that serve none, or if the hostnames were not read. */
export function carriedBy({ live }: PlanInput, kind: Kind): { readonly carried?: number } {
  const hostnames = kind.name === CARRIER ? live.objects.get(CARRIED) : undefined;
  return hostnames ? { carried: [...hostnames.values()].filter(isCarried).length } : {};
}

function isCarried({ values }: Live): boolean {
  return values["custom_origin_server"] === undefined;
}

/** Notes on the deletion of a fallback origin how many remaining hostnames lose their origin. */
export function countStranded(input: PlanInput, changes: readonly Change[]): readonly Change[] {
  return changes.map((change) => {
    const stranded = change.kind === CARRIER ? strandedBy(input, changes, change) : 0;
    if (stranded === 0) return change;
    const many = stranded === 1 ? "1 live hostname uses it" : `${stranded} live hostnames use it`;
    return { ...change, notes: [...change.notes, `${many} and would answer with error 1016`] };
  });
}

/** How many live hostnames would stay, and lose what this change takes: none if it takes nothing. */
export function strandedBy({ live }: Pick<PlanInput, "live">, changes: readonly Change[], change: Change): number {
  const taken = takenBy(change);
  if (!taken) return 0;
  const going = changes.filter(({ kind, action, refused }) => kind === taken.from && action === "delete" && !refused);
  const gone = new Set(going.map(({ key }) => key));
  const all = [...(live.objects.get(taken.from)?.values() ?? [])];
  return all.filter((each) => !gone.has(each.key) && (taken.what === "rules" || isCarried(each))).length;
}

function stillServes(staying: readonly Change[], { what }: Taken): Refused {
  const [first, ...others] = staying;
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  const without = { origin: "without an origin", rules: "without these rules" }[what];
  const it = { origin: "the origin is", rules: "the rules are" }[what];
  return {
    code: "still-serves",
    message: `${first?.key}${rest} may not be deleted, and would be left ${without}`,
    remedy: `resolve that first; ${it} deleted once they are gone`,
  };
}
