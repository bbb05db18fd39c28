import { EXIT } from "../../lib/core/exit-code.ts";
import { valueAt } from "../../lib/core/json.ts";
import { driftExit } from "../../lib/engine/exit.ts";
import type { StateObject } from "../../lib/state/state.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { kindOfObject } from "./kinds.ts";
import type { Leaf } from "./kinds/kind.ts";
import type { Wish } from "./wish.ts";

/**
 * A look for drift never says that nothing drifted while an object that we own is gone, or differs in an owned value
 * both from what was applied and from the YAML (invariant 22). Only for a job during which nobody else acts.
 */
export function judgeDrift(stage: Stage, { drift, party, actsBefore }: RunEnd, wish: Wish): void {
  const { ledger, service } = stage;
  const zone = drift?.zones.find(({ section }) => section.zone.id === service.id);
  if (!zone || driftExit(zone.judgement) !== EXIT.done) return;
  if (party.sawStale || ledger.outsideActs !== actsBefore) return;
  for (const object of party.before?.objects.values() ?? []) {
    if (object.pending || object.unanswered) continue;
    for (const difference of differencesOf(stage, object, wish))
      ledger.blame("I22", `drift says that nothing drifted, and ${difference}`);
  }
}

/** How a tracked object that the YAML declares differs live from both. */
function differencesOf({ service }: Stage, object: StateObject, wish: Wish): readonly string[] {
  const { kind, key, applied } = object;
  const leaf: Leaf = (path, wished, live) => {
    const last = valueAt(applied, path.split("."));
    if (last === undefined || wished === undefined || live === last || live === wished) return [];
    return [`${path} of ${kind} ${key} is ${String(live)}, applied was ${JSON.stringify(last)}, declared ${wished}`];
  };
  return kindOfObject(kind).kind.drifted(service, object, wish, leaf);
}
