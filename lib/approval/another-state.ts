import type { ZoneId } from "../core/brand.ts";
import { type Diagnostic, error } from "../core/diagnostic.ts";
import type { StateStore } from "../state/store.ts";

/** A zone of a plan, and the lineage of the state that the plan was made with. */
interface PlannedWith {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly lineage: string;
}

/** Says that a plan was made with another state than the one here, whose lineage is `now`: mostly the place is the wrong one. */
export function madeWithAnotherState(
  store: Pick<StateStore, "describe">,
  { zone, lineage }: PlannedWith,
  now: string | undefined,
): Diagnostic {
  const here = store.describe(zone.id);
  const found = now === undefined ? `there is no state in ${here}` : `the one in ${here} has lineage ${now}`;
  return error({
    code: "plan-of-another-state",
    message: `the plan was made with a state of ${zone.name} of lineage ${lineage}, and ${found}`,
    remedy: "give the place that has that state with ZONEFORM_STATE or --state; else plan again",
  });
}
