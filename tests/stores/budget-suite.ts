import { describe, expect, test } from "vitest";
import { Secret } from "../../lib/core/secret.ts";
import {
  ARRIVAL_MILLISECONDS,
  BLOCK_LIFE_MILLISECONDS,
  type Draw,
  type Granted,
  type SharedBudget,
} from "../../lib/core/shared-budget.ts";
import { random } from "../support/state-world.ts";

/** A shared budget under test. */
export interface BudgetUnderTest {
  readonly budget: SharedBudget;
  /** Another handle on the same budget, like another process. */
  readonly other: SharedBudget;
  /** Moves the clock of the store. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

const MINUTE = 60_000;
const NOTHING: Draw = {
  limit: "certificates",
  most: 10,
  windowMilliseconds: MINUTE,
  held: 0,
  reported: 0,
  used: [],
  needed: 0,
  wanted: 0,
};

/** Draws for one runner and says what it got. */
type Runner = (draw: Partial<Draw>) => Promise<Granted>;

function runnerOf(budget: SharedBudget, token: string, runner: string = random.uuid()): Runner {
  const credential = new Secret(token);
  return async (draw) => {
    const [granted] = await budget.draw({ credential, runner }, [{ ...NOTHING, ...draw }]);
    if (granted === undefined) throw new Error("each draw has an answer");
    return granted;
  };
}

/** What the shared budget of every store promises. Runs for each of them. */
export function describeBudget(name: string, make: () => Promise<BudgetUnderTest>): void {
  describe(`${name}: shared budget`, () => {
    /** Two runners of one credential that nobody else uses. */
    async function two(): Promise<BudgetUnderTest & { one: Runner; two: Runner; token: string }> {
      const made = await make();
      const token = `token-${random.uuid()}`;
      return { ...made, token, one: runnerOf(made.budget, token), two: runnerOf(made.other, token) };
    }

    test("a runner that is alone gets the whole limit, in blocks", async () => {
      const { one } = await two();
      const got: number[] = [];
      for (let held = 0; held < 10; held += got.at(-1) ?? 0)
        got.push((await one({ held, needed: 1, wanted: 4 })).places);
      expect(got).toEqual([4, 4, 2]);
    });

    test("two runners never get more than the limit together", async () => {
      const { one, two: other } = await two();
      expect(await one({ needed: 1, wanted: 7 })).toMatchObject({ places: 7 });
      expect(await other({ needed: 1, wanted: 7 })).toMatchObject({ places: 3 });
      expect((await one({ held: 7, needed: 1, wanted: 1 })).places).toBe(0);
      expect((await other({ held: 3, needed: 1, wanted: 1 })).places).toBe(0);
    });

    test("what is given back is free at once, what was used a window later, and the answer says when", async () => {
      const { one, two: other, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(20_000);
      // It used six of them ten seconds ago, and gives back four.
      await one({ used: [{ places: 6, agoMilliseconds: 10_000 }] });
      expect((await other({ needed: 4, wanted: 4 })).places).toBe(4);
      await other({ used: [{ places: 4, agoMilliseconds: 0 }] });
      const { places, waitMilliseconds } = await other({ reported: 4, needed: 6, wanted: 6 });
      expect(places).toBe(0);
      expect(waitMilliseconds).toBeGreaterThan(49_000);
      expect(waitMilliseconds).toBeLessThan(51_000);
      await pass(49_000);
      expect((await other({ reported: 4, needed: 6, wanted: 6 })).places).toBe(0);
      await pass(2000);
      expect((await other({ reported: 4, needed: 6, wanted: 6 })).places).toBe(6);
    });

    test("a runner that is alone learns the moment when its own places are free", async () => {
      const { one, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(5000);
      const { waitMilliseconds } = await one({ used: [{ places: 10, agoMilliseconds: 0 }], needed: 1, wanted: 1 });
      expect(waitMilliseconds).toBeGreaterThan(MINUTE - 1000);
      expect(waitMilliseconds).toBeLessThan(MINUTE + 1000);
      await pass(waitMilliseconds);
      expect((await one({ reported: 10, needed: 1, wanted: 10 })).places).toBe(10);
    });

    test("a draw that is repeated after a lost answer counts once", async () => {
      const { one, two: other } = await two();
      await one({ needed: 4, wanted: 4 });
      const again = { used: [{ places: 4, agoMilliseconds: 0 }], needed: 2, wanted: 2 };
      for (let time = 0; time < 3; time += 1) expect((await one(again)).places).toBe(2);
      expect((await other({ needed: 1, wanted: 10 })).places).toBe(4);
    });

    test("the places of a runner that is gone count until no call with them can be in the window", async () => {
      const { one, two: other, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(BLOCK_LIFE_MILLISECONDS + ARRIVAL_MILLISECONDS + MINUTE - 1000);
      expect((await other({ needed: 1, wanted: 1 })).places).toBe(0);
      await pass(2000);
      expect((await other({ needed: 10, wanted: 10 })).places).toBe(10);
    });

    test("a runner that comes back after its block expired still reports what it used", async () => {
      const { one, two: other, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(BLOCK_LIFE_MILLISECONDS + ARRIVAL_MILLISECONDS + 1000);
      await one({ used: [{ places: 3, agoMilliseconds: 0 }] });
      expect((await other({ needed: 1, wanted: 10 })).places).toBe(7);
    });

    test("a clock of a runner that jumps cannot date a use back before its last draw", async () => {
      const { one, two: other, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(10_000);
      await one({ held: 5, used: [{ places: 5, agoMilliseconds: 3_600_000 }] });
      expect((await other({ needed: 1, wanted: 10 })).places).toBe(0);
      await one({ held: 0, reported: 5, used: [{ places: 5, agoMilliseconds: -3_600_000 }] });
      await pass(MINUTE - 11_000);
      expect((await other({ needed: 1, wanted: 10 })).places).toBe(0);
      // They stand at the earliest moment at which the store knows that they were there.
      await pass(12_000);
      expect((await other({ needed: 10, wanted: 10 })).places).toBe(10);
    });

    test("whoever waits is served before those who come later, and nobody takes more than they need meanwhile", async () => {
      const { one, two: other, budget, token, pass } = await two();
      const third = runnerOf(budget, token);
      await one({ needed: 9, wanted: 9 });
      expect((await other({ needed: 3, wanted: 3 })).places).toBe(0);
      expect((await third({ needed: 1, wanted: 1 })).places).toBe(0);
      await one({ held: 6 });
      expect((await third({ needed: 1, wanted: 5 })).places).toBe(1);
      expect((await other({ needed: 3, wanted: 10 })).places).toBe(3);
      // Somebody who does not come back holds up nobody for long.
      expect((await runnerOf(budget, token)({ needed: 10, wanted: 10 })).places).toBe(0);
      await pass(20_000);
      await one({ held: 0 });
      expect((await third({ held: 1, needed: 6, wanted: 6 })).places).toBe(6);
    });

    test("a clock of the store that was ahead holds up nobody after it was set right", async () => {
      const { one, two: other, budget, token, pass } = await two();
      await pass(24 * 60 * MINUTE);
      await one({ needed: 10, wanted: 10 });
      expect((await other({ needed: 10, wanted: 10 })).places).toBe(0);
      await pass(-24 * 60 * MINUTE);
      // Both are gone, so nobody gives anything back.
      const third = runnerOf(budget, token);
      let waited = 0;
      for (let answer = await third({ needed: 1, wanted: 3 }); answer.places === 0;) {
        waited += answer.waitMilliseconds;
        expect(waited).toBeLessThan(BLOCK_LIFE_MILLISECONDS + ARRIVAL_MILLISECONDS + MINUTE + 10_000);
        await pass(answer.waitMilliseconds);
        answer = await third({ needed: 1, wanted: 3 });
      }
    });

    test("after the service began to count anew, only what was used since counts", async () => {
      const { one, two: other, pass } = await two();
      await one({ needed: 10, wanted: 10 });
      await pass(20_000);
      await one({ used: [10_000, 1000].map((agoMilliseconds) => ({ places: 5, agoMilliseconds })) });
      expect((await other({ needed: 1, wanted: 10 })).places).toBe(0);
      expect((await other({ restartedMilliseconds: 5000, needed: 1, wanted: 10 })).places).toBe(5);
    });

    test("limits and credentials are apart", async () => {
      const { one, budget } = await two();
      await one({ needed: 10, wanted: 10 });
      expect((await one({ limit: "calls", needed: 10, wanted: 10 })).places).toBe(10);
      const another = runnerOf(budget, `token-${random.uuid()}`);
      expect((await another({ needed: 10, wanted: 10 })).places).toBe(10);
    });

    test("sixteen runners that ask at once get the limit together, and not one place more", async () => {
      const { budget, other, token } = await two();
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_none, index) =>
          runnerOf(index % 2 === 0 ? budget : other, token)({ needed: 1, wanted: 1 }),
        ),
      );
      expect(answers.reduce((sum, { places }) => sum + places, 0)).toBe(10);
    });
  });
}
