import { EMPTY } from "../../lib/core/json.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import type { SharedBudget } from "../../lib/core/shared-budget.ts";
import { drawAll } from "../../lib/state/budget-ledger.ts";

/** A shared budget that lives as long as the test; `now` is the time of its store. */
export function memoryBudget(now: () => number = Date.now): SharedBudget {
  const ledgers = new Map<string, JsonObject>();
  return {
    draw: async ({ credential, runner }, draws) => {
      const name = credential.reveal();
      const { ledgers: after, granted } = drawAll(ledgers.get(name) ?? EMPTY, runner, draws, now());
      ledgers.set(name, after);
      return granted;
    },
  };
}
