import { expect, test } from "vitest";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import type { StateRequest, Transport } from "../../lib/state/engines/http/protocol.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { seededRandom } from "../support/engine.ts";
import { type ServerMode, stateModel } from "../support/http-state-model.ts";
import { collect, HOLDER, random, ZONE } from "../support/state-world.ts";
import { virtualTime } from "../support/virtual-clock.ts";

const NAME = nameOfState("edge", ZONE);
const RUNS = 8;
const LATENCY_MILLISECONDS = 60;
const HOUR_MILLISECONDS = 3_600_000;

/** Pauses by chance. With all but the first, a run once took the place of one that was renewing its lock. */
const SEEDS = [1, 47, 104, 194];

/** What a proxy answers whose server restarts: the request arrived, or it did not. */
type Restart = "before" | "after";

const CASES: readonly (readonly [ServerMode, Restart])[] = [
  ["terraform", "before"],
  ["terraform", "after"],
  ["gitlab", "before"],
  ["careless", "before"],
  ["silent", "before"],
];

test.each(CASES.flatMap(([mode, restart]) => SEEDS.map((seed) => [mode, restart, seed] as const)))(
  `while ${RUNS} runs wait for each other, one 502 in the middle of each ends none (%s, %s, seed %i)`,
  async (mode, restart, seed) => {
    const model = stateModel(mode);
    const time = virtualTime();
    const { fraction } = seededRandom(seed);

    function open(run: number): ProjectStore {
      const { steady } = time.process();
      let isDone = false;
      const send = async (request: StateRequest): ReturnType<Transport["send"]> => {
        await steady.sleep(LATENCY_MILLISECONDS);
        const isBad = !isDone && request.method === "POST" && request.body?.includes(`the intent of ${run}`) === true;
        isDone ||= isBad;
        if (isBad && restart === "before") return { status: 502, headers: {}, body: "" };
        const answer = model.handle(request);
        return isBad ? { status: 502, headers: {}, body: "" } : answer;
      };
      const isGitlab = mode === "gitlab";
      const address = isGitlab ? "https://s.example/api/v4/projects/1/terraform/state" : "https://s.example/states";
      const env = isGitlab ? {} : { TF_HTTP_LOCK_ADDRESS: "https://s.example/states/{state}" };
      const connect = (): Transport => ({ send, close: async () => undefined });
      return httpStores(address, {
        env,
        clock: steady,
        steady,
        random: { ...random, fraction },
        connect,
      }).of("edge");
    }

    async function run(number: number): Promise<void> {
      const store = open(number);
      const lease = await store.lock(ZONE, HOLDER, HOUR_MILLISECONDS);
      await store.append(ZONE, lease, [`begin ${number}`]);
      await store.append(ZONE, lease, [`the intent of ${number}`]);
      await store.append(ZONE, lease, [`the result of ${number}`]);
      await lease.release();
    }

    await time.until(Promise.all(Array.from({ length: RUNS }, (_none, number) => run(number))));
    const view = await time.until(open(RUNS).view(ZONE));
    const lines = await time.until(collect(view.journal()));
    const groups = Array.from({ length: RUNS }, (_none, index) => lines.slice(3 * index, 3 * index + 3));
    expect(groups.map(([first = ""]) => first).toSorted()).toEqual(groups.map((_group, number) => `begin ${number}`));
    for (const [first = "", ...others] of groups) {
      const number = first.replace("begin ", "");
      expect(others).toEqual([`the intent of ${number}`, `the result of ${number}`]);
    }
    expect(model.holderOf(NAME)).toBeUndefined();
  },
);
