import { realClock } from "../../lib/real/clock.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { type StateStores, zoneStores } from "../../lib/state/stores.ts";
import { random } from "../support/state-world.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";

function opener(): (clock?: Clock) => StateStores {
  const shared = memory();
  return (clock = realClock) => zoneStores(shared.open({ clock, random }), { clock, random });
}

describeStore("the store in memory", async () => {
  const stores = opener();
  const open = (clock?: Clock): ReturnType<StateStores["of"]> => stores(clock).of("suite");
  return { store: open(), other: open(), open };
});

describeClaims("the store in memory", async () => {
  const stores = opener();
  let passed = 0;
  const clock = { ...realClock, now: () => realClock.now() + passed };
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };
  return { claims: stores(clock).claims, other: stores(clock).claims, pass };
});
