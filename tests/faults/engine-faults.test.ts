import { beforeAll, describe, expect, it } from "vitest";
import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { parseAddress } from "../../lib/core/address.ts";
import type { Fault } from "../../lib/emulator.ts";
import { changesOf, endingsOf, failuresOf, driftInWords, inWords, type Rig } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { changedWorld, essence, settle } from "./engine-world.ts";

/** No run takes this many requests; a fault at a later request does not happen. */
const MOST_REQUESTS = 200;

/**
 * Each fault strikes at every seventh request, and together they strike at all; with `npm run test:full` each strikes at
 * all.
 */
const STEP = inFull(1, 7);

const FAULTS: Readonly<Record<string, Fault>> = {
  "lost reply": { kind: "lost-reply" },
  "lost request": { kind: "lost-request" },
  "500 before it took effect": { kind: "status", status: 500, after: false },
  "500 after it took effect": { kind: "status", status: 500, after: true },
  "an HTML page": { kind: "html", status: 502 },
  "half an answer": { kind: "truncated" },
  "204 instead of the object": { kind: "no-content" },
  "null instead of the object": { kind: "null-result" },
  "an HTML 404 after it took effect": { kind: "html", status: 404, after: true },
  "an HTML 403 before it took effect": { kind: "html", status: 403 },
  "a gateway's JSON 404 after it took effect": { kind: "gateway-json", status: 404, after: true },
  "a gateway's JSON 403 before it took effect": { kind: "gateway-json", status: 403 },
  "429": { kind: "throttle", code: 10100, status: 429, retryAfter: 3 },
  "971 in a 200": { kind: "throttle", code: 971, status: 200, retryAfter: 3 },
};

/** Faults that only lose the answer; a null also hides what a list shows. */
const TAKE_EFFECT: ReadonlySet<string> = new Set(["lost-reply", "truncated", "no-content"]);

let expected: object;

beforeAll(async () => {
  const rig = await changedWorld();
  const plan = await rig.plan();
  const met = changesOf(plan).map(({ kind, action }) => `${action} ${kind}`);
  // Checks that this world covers what it should.
  expect(met).toEqual(
    expect.arrayContaining([
      "create custom_hostname",
      "update custom_hostname",
      "replace custom_hostname",
      "delete custom_hostname",
      "adopt custom_hostname",
      "update fallback_origin",
      "update ruleset",
      "create ruleset",
      "update total_tls",
    ]),
  );
  expect(failuresOf(await rig.apply(plan))).toEqual([]);
  await settle(rig);
  expected = essence(rig);
});

/** Whatever happened before: one run without faults reaches the wanted configuration, and then nothing is left to do. */
async function expectRecovery(rig: Rig, what: string): Promise<void> {
  rig.service.core.faults.clear();
  await rig.restart();
  const plan = await rig.plan();
  expect(driftInWords(await rig.drift()), what).toEqual([]);
  expect(failuresOf(await rig.apply(plan)), what).toEqual([]);
  const rest = changesOf(await rig.plan());
  expect(inWords(rest.filter(({ action }) => action !== "held")), what).toEqual([]);
  await settle(rig);
  expect(inWords(changesOf(await rig.plan())), what).toEqual([]);
  expect(essence(rig), what).toEqual(expected);
}

/** What did not end well, except for the one thing that nobody can know: an uploaded certificate is never shown. */
function inDoubt(report: ApplyReport): readonly string[] {
  const open = endingsOf(report).filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held");
  const endings = open.map(({ action, address, outcome }) =>
    [action, parseAddress(address)?.key, outcome.status].join(" "),
  );
  const isUploadUnknown = endings.includes("update own.uploaded.net unknown");
  // Nothing is deleted while it is unknown whether the rest was done.
  const expected = isUploadUnknown ? ["update own.uploaded.net unknown", "delete delete.customer.net not-started"] : [];
  return endings.filter((ending) => !expected.includes(ending));
}

describe.each(Object.entries(FAULTS))("%s", (name, fault) => {
  it("at any request: the next run converges, nothing is duplicated, nothing is lost", async () => {
    let struck = 0;
    for (let request = 1 + (Object.keys(FAULTS).indexOf(name) % STEP); request <= MOST_REQUESTS; request += STEP) {
      const rig = await changedWorld();
      rig.service.core.faults.order({ fault, skip: request - 1, count: 1 });
      const report = await rig.run().catch(() => undefined);
      const isOver = rig.service.core.faults.orders().length > 0;
      if (isOver) break;
      struck += 1;
      // The run waits after a refusal as one too many; nothing else may have failed then.
      if (fault.kind === "throttle") expect(report && failuresOf(report), `${name} at request ${request}`).toEqual([]);
      // A write that took effect is looked up, and done.
      if (TAKE_EFFECT.has(fault.kind) && report) expect(inDoubt(report), `${name} at request ${request}`).toEqual([]);
      await expectRecovery(rig, `${name} at request ${request}`);
    }
    expect(struck * STEP).toBeGreaterThan(20);
  });
});
