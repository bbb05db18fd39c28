import { zoneId } from "../../lib/core/brand.ts";
import { loadState } from "../../lib/state/load.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import type { State } from "../../lib/state/state.ts";
import { STOPPED_CLOCK } from "../support/state-world.ts";
import { diceOf, randomOf } from "./dice.ts";
import { type ChangedFile, PROJECT, type Shelf } from "./shelf.ts";
import type { Vault } from "./vault.ts";

/**
 * A zone's state as the next process would read it now, apart from what somebody changed; throws what that process
 * would get.
 */
export async function auditedState(
  shelf: Shelf,
  vault: Vault,
  zone: string,
  changed?: ChangedFile,
): Promise<State | undefined> {
  const random = randomOf(diceOf(0));
  const opened = vault.over(shelf.look(changed), random);
  const store = refusingMoved(opened, { clock: STOPPED_CLOCK, random }).of(PROJECT);
  return (await loadState(store, zoneId(zone)))?.state;
}
