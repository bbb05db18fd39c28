import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { collect, ZONE } from "../../support/state-world.ts";

/** The lines of a kept record. */
export async function keptIn(store: ProjectStore, name: string): Promise<readonly string[]> {
  const lines = (await store.view(ZONE)).kept(name);
  return lines ? collect(lines) : ["there is no such record"];
}

/** Lines that break off. */
export async function* failing(): AsyncIterable<string> {
  yield "two";
  throw new Error("the source failed");
}
