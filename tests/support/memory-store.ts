import type { Clock } from "../../lib/core/clock.ts";
import { realClock } from "../../lib/real/clock.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { zoneStores } from "../../lib/state/stores.ts";
import { random } from "./state-world.ts";

/** A store in memory, for tests that make many states. Each of its reads can be replaced. */
export function memoryStore(clock: Clock = realClock): ProjectStore {
  return zoneStores(memory().open({ clock, random }), { clock, random }).of("memory");
}
