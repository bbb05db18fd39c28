import { describe, expect, it } from "vitest";
import type { LoggedRequest } from "../../../lib/emulator/request-log.ts";
import { readProject } from "../../../lib/engine/world.ts";
import { findHostnames, revalidate } from "../../../lib/engine/hostnames/revalidate.ts";
import type { JournalRecord } from "../../../lib/state/journal-record.ts";
import { at, text } from "../../support/emulator.ts";
import { dnsRecords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { editSettings, hostnameOf } from "./foreign-edits.ts";
import { OLDEST_READ_MILLISECONDS, staleWrites } from "./stale-writes.ts";
import {
  callsOf,
  type Case,
  CASES,
  inShort,
  inTime,
  PATH,
  rigOf,
  statusOf,
  useUp,
  withBudget,
} from "./fresh-reads-world.ts";

const HOUR_MILLISECONDS = 3_600_000;
const CIPHERS = ["ECDHE-ECDSA-AES128-GCM-SHA256"];

const HOSTNAME = '["new.net"]';
const CREATE: Case = {
  what: "create a hostname",
  address: `custom_hostname${HOSTNAME}`,
  after: { custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: "new.net", ssl: { method: "http" } }] } },
  edits: [],
  writes: ["POST /custom_hostnames"],
};

/** Whether the step to the new rules was sent without knowing the zone's present state. */
function blindSteps(log: readonly LoggedRequest[]): readonly string[] {
  return log.flatMap((step, index) => {
    if (!step.query.includes("waf_migration=")) return [];
    const status = log.slice(0, index).findLast(({ path }) => path.endsWith("/waf_migration/status"));
    const age = status ? step.at - status.at : Infinity;
    return age <= OLDEST_READ_MILLISECONDS ? [] : [`the step comes ${age} ms after the zone's state was read`];
  });
}

/** The log of a successful apply. */
async function logOf(rig: Rig, each: Case, calls: number): Promise<readonly LoggedRequest[]> {
  const plan = await rig.plan(each.planOptions);
  await useUp(rig, plan, calls);
  rig.service.core.log.reset();
  const report = await inTime(rig, rig.apply(plan, { parallelism: 1 }));
  expect(statusOf(report, each.address)).toBe("done");
  return rig.service.core.log.entries();
}

describe.each([CREATE, ...CASES])("the requests that $what", (each) => {
  it("are each sent right after a read of their object, however much of the budget is left", async () => {
    for (let calls = 0; calls < callsOf(each); calls += 1) {
      const log = await logOf(await rigOf(each), each, calls);
      expect([...staleWrites(log), ...blindSteps(log)].join("; "), `${calls} calls were used up`).toBe("");
      expect(log.filter(({ method }) => method !== "GET").map(inShort)).toEqual(each.writes);
    }
  });

  it("are each sent after another read if they were refused with 429", async () => {
    for (const refused of each.writes.keys()) {
      const rig = await rigOf({ ...each, budget: "100%" });
      refuseWrite(rig, refused);
      const log = await logOf(rig, each, 0);
      expect([...staleWrites(log), ...blindSteps(log)].join("; "), `write ${refused + 1} was refused`).toBe("");
      expect(log.filter(({ status }) => status === 429)).toHaveLength(1);
    }
  });
});

/** The write with this number is answered 429. */
function refuseWrite(rig: Rig, refused: number): void {
  let writes = 0;
  rig.network(async ({ method }, _index, pass) => {
    if (method !== "GET" && writes++ === refused)
      rig.service.core.faults.order({ fault: { kind: "throttle", code: 10100, status: 429, retryAfter: 3 }, count: 1 });
    return pass();
  });
}

it("a hostname is created without any read", async () => {
  const log = await logOf(await rigOf(CREATE), CREATE, 0);
  expect(log.map(inShort)).toEqual(["POST /custom_hostnames"]);
});

it("the succeeding pack is read before the old one, which is read last", async () => {
  const each = CASES.find(({ what }) => what === "replace a certificate pack");
  if (!each) throw new Error("there is such a case");
  for (let calls = 0; calls < callsOf(CREATE); calls += 1) {
    const rig = await rigOf(each);
    const ids: string[] = [];
    rig.network(async ({ method }, _index, pass) => {
      const answer = await pass();
      if (method === "POST") ids.push(text(JSON.parse(answer.body), "result.id"));
      return answer;
    });
    const log = await logOf(rig, each, calls);
    const last = log.findIndex(({ method }) => method === "DELETE");
    const ordered = log.findIndex(({ method }) => method === "POST");
    const successor = log.findLastIndex(({ path }, index) => index < last && path.endsWith(ids[0] ?? "?"));
    expect([ordered < successor, successor < last]).toEqual([true, true]);
    expect((log[last]?.at ?? 0) - (log[successor]?.at ?? 0)).toBeLessThanOrEqual(OLDEST_READ_MILLISECONDS);
    expect(log[last - 1]?.path).toBe(log[last]?.path);
  }
});

/** The journal's records about an address, as they are on the disk: `intent`, or its result. */
async function journalOf(rig: Rig, address: string): Promise<readonly string[]> {
  const kinds: string[] = [];
  for await (const line of (await rig.world().store.view(ZONE.id)).journal()) {
    const record: Partial<JournalRecord> = JSON.parse(line);
    if (record.address === address) kinds.push(record.kind ?? "");
  }
  return kinds;
}

// A change with several requests may have one intent for all of them.
describe.each([CREATE, ...CASES.filter(({ writes }) => writes.length === 1)])("the journal of: $what", (each) => {
  it("closes the intent of a refused write, and has another one before the write is sent again", async () => {
    const rig = await rigOf({ ...each, budget: "100%" });
    const plan = await rig.plan(each.planOptions);
    const seen: (readonly string[])[] = [];
    rig.network(async ({ method }, _index, pass) => {
      if (method === "GET") return pass();
      seen.push(await journalOf(rig, each.address));
      if (seen.length < 3)
        rig.service.core.faults.order({
          fault: { kind: "throttle", code: 10100, status: 429, retryAfter: 3 },
          count: 1,
        });
      return pass();
    });
    expect(statusOf(await inTime(rig, rig.apply(plan)), each.address)).toBe("done");
    expect(seen.map((records) => records.map(roleOf))).toEqual([
      ["intent"],
      ["intent", "closed", "intent"],
      ["intent", "closed", "intent", "closed", "intent"],
    ]);
  });
});

/** The roles of the journal's records. "done" or "gone" would be false for a refused request. */
function roleOf(kind: string): string {
  return kind === "intent" || kind === "done" || kind === "gone" ? kind : "closed";
}

describe("hostname retry", () => {
  /** A hostname whose validation is stuck, and a client with a small share of the calls. */
  async function stuck(): Promise<{ rig: Rig; found: Awaited<ReturnType<typeof findHostnames>> }> {
    const entries = [{ hostname: "edited.net", ssl: { type: "dv", method: "http" } }];
    const rig = openRig({
      hasUsualLimits: true,
      zone: { validation: "world", dns_records: dnsRecords() },
      files: { "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } } },
    });
    await rig.run();
    await rig.wait(HOUR_MILLISECONDS);
    await withBudget(rig, "1%");
    const { project } = await readProject(rig.world(), { file: rig.file });
    const client = rig.world().connect(project.desired.budget);
    return { rig, found: await findHostnames(client, project.desired.zones, ["edited.net"]) };
  }

  async function startAgain(rig: Rig, found: Awaited<ReturnType<typeof findHostnames>>): Promise<readonly string[]> {
    const { project } = await readProject(rig.world(), { file: rig.file });
    const client = rig.world().connect(project.desired.budget);
    const ended: string[] = [];
    for await (const { outcome } of revalidate(client, found, "revalidate")) ended.push(outcome.status);
    return ended;
  }

  const keepsCiphers = (rig: Rig): boolean =>
    JSON.stringify(at(hostnameOf(rig, "edited.net"), "ssl.settings.ciphers")) === JSON.stringify(CIPHERS);

  it("keeps an edit that was made while the call waited, and reads right before it writes", async () => {
    for (let calls = 0; calls < callsOf(CREATE); calls += 1) {
      const { rig, found } = await stuck();
      await useUp(rig, await rig.plan(), calls);
      rig.service.core.log.reset();
      void rig.clock.sleep(150_000).then(() => editSettings(rig, "edited.net", { ciphers: CIPHERS }));
      expect(await inTime(rig, startAgain(rig, found))).toEqual(["done"]);
      expect(staleWrites(rig.service.core.log.entries()).join("; "), `${calls} calls were used up`).toBe("");
      await rig.wait(HOUR_MILLISECONDS);
      expect(keepsCiphers(rig)).toBe(true);
    }
  });

  it("keeps an edit that was made while the call was refused with 429", async () => {
    const { rig, found } = await stuck();
    rig.service.core.log.reset();
    refuseWrite(rig, 0);
    void rig.clock.sleep(1500).then(() => editSettings(rig, "edited.net", { ciphers: CIPHERS }));
    expect(await inTime(rig, startAgain(rig, found))).toEqual(["done"]);
    expect(keepsCiphers(rig)).toBe(true);
    expect(staleWrites(rig.service.core.log.entries())).toEqual([]);
    expect(rig.service.core.log.entries().filter(({ path }) => path.startsWith(PATH)).length).toBeGreaterThan(2);
  });
});
