import type { Change, Plan } from "../../lib/plan/change.ts";
import type { State } from "../../lib/state/state.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { ALL_KINDS } from "./kinds.ts";
import type { Wish } from "./wish.ts";

/** This many applies without a fault reach the wish from any situation. */
export const APPLIES_TO_CONVERGE = 3;
/** Long enough for every certificate to be deployed, so that nothing is held any more. */
export const PAUSE_MILLISECONDS = 3_600_000;

/** What a plan would still do: nothing, once live is as wished. Blocked changes stay, because a person has to decide. */
export function leftIn(plan: Plan | undefined): readonly string[] {
  const changes = plan?.zones.flatMap((section) => section.changes) ?? [];
  return changes
    .filter(({ action, refused }) => !refused && action !== "held")
    .map(({ action, address }) => `${action} ${address}`);
}

/** Whether a plan has nothing to do, and nothing is held. */
export function isSettled(plan: Plan | undefined): boolean {
  const isHeld = plan?.zones.some(({ changes }) => changes.some(({ action }) => action === "held")) ?? true;
  return !isHeld && leftIn(plan).length === 0;
}

/** What a guard blocks in a plan: keys, kinds that a zone has only one object of, and ids, if several have one name. */
export function refusedIn(plan: Plan | undefined): ReadonlySet<string> {
  const changes = plan?.zones.flatMap((section) => section.changes) ?? [];
  return new Set(changes.flatMap((change) => (change.refused ? namesOf(change) : [])));
}

/** The names of a change, including what its call would also write. */
function namesOf({ kind, key, id, with: companion }: Change): readonly string[] {
  return [key || kind, ...(id === undefined ? [] : [id]), ...(companion ? namesOf(companion) : [])];
}

/** How live differs from the wish, by the service's own truth. What is blocked may stay as it is. */
export function differencesFrom(
  stage: Stage,
  wish: Wish,
  state: State | undefined,
  refused: ReadonlySet<string>,
): readonly string[] {
  return ALL_KINDS.flatMap(([, kind]) => kind.differences(stage, wish, { state, refused }));
}

/** Why a run without any fault did not do its work, in words. */
export function troubleOf({ how, thrown, report }: RunEnd): string {
  if (thrown instanceof Error) return `${how}: ${thrown.message}`;
  const zone = report?.zones[0];
  const said = [
    ...(zone?.stopped?.diagnostics ?? []).map(({ message }) => message),
    ...(zone?.unsaved ? [zone.unsaved.message] : []),
    ...(zone?.locked === undefined ? [] : [zone.locked.message]),
    ...(zone?.ended ?? [])
      .filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held")
      .map(({ address, outcome }) => `${address} ${JSON.stringify(outcome)}`),
  ];
  return said.join("; ");
}
