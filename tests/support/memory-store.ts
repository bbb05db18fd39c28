import type { Clock } from "../../lib/core/clock.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { random } from "./state-world.ts";
import { storeModel } from "./store-model.ts";

/** A store that lives as long as the test: for tests that make many states. */
export function memoryStore(clock: Clock = realClock): ProjectStore {
  return storeModel({ clock, random }).start().of("memory");
}
