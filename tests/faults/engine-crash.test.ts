import { beforeAll, describe, expect, it } from "vitest";
import { changesOf, failuresOf, driftInWords, inWords, type Rig } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { changedWorld, essence, settle } from "./engine-world.ts";

/** No run takes this many steps; a crash at a later step does not happen. */
const MOST_STEPS = 200;

/** A process dies at every fourth step; with `npm run test:full` at each. */
const STEP = inFull(1, 4);

let expected: object;

beforeAll(async () => {
  const rig = await changedWorld();
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  expected = essence(rig);
});

/** Makes the process die at the nth step of a sort, before or after the step took effect. */
type Crash = (rig: Rig, step: number) => void;

const CRASHES: Readonly<Record<string, Crash>> = {
  "before a request arrives": (rig, step) =>
    rig.network((_request, index, pass) => {
      if (index === step) rig.crash();
      return pass();
    }),
  "after a request took effect": (rig, step) =>
    rig.network(async (_request, index, pass) => {
      const answer = await pass();
      if (index === step) rig.crash();
      return answer;
    }),
  "before something is written down": (rig, step) =>
    rig.storage((index, pass) => {
      if (index === step) rig.crash();
      return pass();
    }),
  "after something was written down": (rig, step) =>
    rig.storage(async (index, pass) => {
      const result = await pass();
      if (index === step) rig.crash();
      return result;
    }),
};

describe.each(Object.entries(CRASHES))("a process that dies %s", (name, crash) => {
  it.each([1, 4])("needs nobody's help (%i at once)", async (parallelism) => {
    let died = 0;
    for (let step = 1 + (Object.keys(CRASHES).indexOf(name) % STEP); step <= MOST_STEPS; step += STEP) {
      const rig = await changedWorld();
      const what = `${name}, step ${step}`;
      crash(rig, step);
      const end = await rig.untilCrash(rig.plan().then((plan) => rig.apply(plan, { parallelism })));
      if (end !== "crashed") break;
      died += 1;
      await rig.restart();
      const plan = await rig.plan();
      expect(driftInWords(await rig.drift()), what).toEqual([]);
      expect(failuresOf(await rig.apply(plan)), what).toEqual([]);
      expect(inWords(changesOf(await rig.plan()).filter(({ action }) => action !== "held")), what).toEqual([]);
      await settle(rig);
      expect(inWords(changesOf(await rig.plan())), what).toEqual([]);
      expect(essence(rig), what).toEqual(expected);
    }
    expect(died * STEP).toBeGreaterThan(3);
  });
});
