import type { StateStore } from "../../../lib/state/store.ts";
import { collect, ZONE } from "../../support/state-world.ts";

/** The lines of a kept record. */
export async function keptIn(store: StateStore, name: string): Promise<readonly string[]> {
  const lines = await store.kept(ZONE, name);
  return lines ? collect(lines) : ["there is no such record"];
}

/** Lines that break off. */
export async function* failing(): AsyncIterable<string> {
  yield "two";
  throw new Error("the source failed");
}
