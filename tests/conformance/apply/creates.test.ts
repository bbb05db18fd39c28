import { describe, expect, it } from "vitest";
import { endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { refusal } from "../../unit/service/world.ts";

const CREATES = 200;
const PARALLELISM = 8;

function openCreates(count = CREATES): Rig {
  const entries = Array.from({ length: count }, (_none, index) => ({
    hostname: `app${index}.customer.net`,
    ssl: { method: "http", type: "dv" },
  }));
  const file = { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
  return openRig({ zone: {}, files: { "zones/a.yaml": file } });
}

describe(`${CREATES} creates, ${PARALLELISM} at a time`, () => {
  it("never run more than that at once, and always that many", async () => {
    const rig = openCreates();
    const plan = await rig.plan();
    let [underWay, most, sum] = [0, 0, 0];
    rig.network(async (_request, _index, pass) => {
      underWay += 1;
      most = Math.max(most, underWay);
      sum += underWay;
      await rig.clock.sleep(10);
      const answer = await pass();
      underWay -= 1;
      return answer;
    });
    expect(failuresOf(await rig.apply(plan, { parallelism: PARALLELISM }))).toEqual([]);
    expect(most).toBe(PARALLELISM);
    expect(sum / CREATES).toBeGreaterThan(PARALLELISM - 1);
  });

  it("are sent only once their own intent is recorded", async () => {
    const rig = openCreates();
    const plan = await rig.plan();
    const unrecorded: string[] = [];
    rig.network(async (request, _index, pass) => {
      if (request.method === "POST") {
        const hostname = String(JSON.parse(request.body ?? "{}").hostname);
        if (!(await hasIntent(rig, hostname))) unrecorded.push(hostname);
      }
      return pass();
    });
    expect(failuresOf(await rig.apply(plan, { parallelism: PARALLELISM }))).toEqual([]);
    expect(unrecorded).toEqual([]);
  });

  it("stop at once if Cloudflare refuses the credentials, and report all others as not started", async () => {
    const rig = openCreates();
    const plan = await rig.plan();
    let sent = 0;
    rig.network(async () => {
      sent += 1;
      await rig.clock.sleep(10);
      return refusal(403, 10_000);
    });
    const report = await rig.apply(plan, { parallelism: PARALLELISM });
    expect(sent).toBe(PARALLELISM);
    const statuses = endingsOf(report).map(({ outcome }) => outcome.status);
    expect(statuses.filter((status) => status === "failed")).toHaveLength(PARALLELISM);
    expect(statuses.filter((status) => status === "not-started")).toHaveLength(CREATES - PARALLELISM);
    // Nothing is unfinished: none of those was sent.
    rig.network((_request, _index, pass) => pass());
    const next = await rig.run();
    expect(failuresOf(next)).toEqual([]);
    expect(rig.service.core.log.entries().filter(({ method }) => method === "POST")).toHaveLength(CREATES);
  });

  it("are not sent if the lock is freed between their intent and their request", async () => {
    const rig = openCreates(1);
    const plan = await rig.plan();
    let [isFreed, sent] = [false, 0];
    rig.storage(async (_index, pass) => {
      const stored = await pass();
      if (!isFreed && (await hasIntent(rig, "app0.customer.net"))) {
        isFreed = true;
        const { store } = rig.world();
        await store.unlock(ZONE.id, (await store.holding(ZONE.id))?.unlockId ?? "");
      }
      return stored;
    });
    rig.network((_request, _index, pass) => {
      sent += 1;
      return pass();
    });
    await rig.apply(plan);
    expect([isFreed, sent]).toEqual([true, 0]);
  });

  it("send nothing more once the lock was freed", async () => {
    const rig = openCreates();
    const plan = await rig.plan();
    let [sent, sentThen] = [0, 0];
    rig.network(async (_request, index, pass) => {
      sent += 1;
      await rig.clock.sleep(10);
      if (index === CREATES / 2) {
        const { store } = rig.world();
        await store.unlock(ZONE.id, (await store.holding(ZONE.id))?.unlockId ?? "");
        sentThen = sent;
      }
      return pass();
    });
    const report = await rig.apply(plan, { parallelism: PARALLELISM });
    expect([sentThen, sent]).toEqual([sent, sentThen]);
    expect(sent).toBeLessThan(CREATES);
    const next = await rig.run();
    expect(failuresOf(next)).toEqual([]);
    const done = [report, next].flatMap(endingsOf).filter(({ outcome }) => outcome.status === "done");
    expect(new Set(done.map(({ address }) => address)).size).toBe(CREATES);
  });
});

describe("creates that the service refuses with 429 again and again", () => {
  it("are all made in the end, by one run", async () => {
    const rig = openCreates(60);
    const plan = await rig.plan();
    let arrived = 0;
    rig.network(async (request, _index, pass) => {
      if (request.method === "POST" && arrived++ % PARALLELISM !== 0) return refusal(429, 10_100);
      return pass();
    });
    expect(failuresOf(await rig.apply(plan, { parallelism: PARALLELISM }))).toEqual([]);
  });
});

/** Whether the journal on the disk says that the hostname is about to be created. */
async function hasIntent(rig: Rig, hostname: string): Promise<boolean> {
  for await (const line of (await rig.world().store.view(ZONE.id)).journal()) {
    if (line.includes(JSON.stringify(hostname)) && line.includes('"kind":"intent"')) return true;
  }
  return false;
}
