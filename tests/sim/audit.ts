import { zoneId } from "../../lib/core/brand.ts";
import { loadState } from "../../lib/state/load.ts";
import type { State } from "../../lib/state/state.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { ChangedFile, Shelf } from "./shelf.ts";
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
  const store = vault.over(shelf.look(changed), randomOf(diceOf(0)));
  return (await loadState(store, zoneId(zone)))?.state;
}
