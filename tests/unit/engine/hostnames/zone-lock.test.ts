import { expect, test } from "vitest";
import { lockIn } from "../../../../lib/state/unfinished.ts";
import type { ZoneStatus } from "../../../../lib/engine/hostnames/status.ts";
import { statusDocument } from "../../../../lib/report/commands/status.ts";
import type { JournalRecord } from "../../../../lib/state/journal-record.ts";
import { memoryStore } from "../../../support/memory-store.ts";
import { addressOf, HOLDER, hostname, ZONE } from "../../../support/state-world.ts";
import { flat } from "../../../support/text.ts";
import { changedStore } from "../../../support/changed-store.ts";
import { statusText } from "../../../support/texts.ts";

const CALM: ZoneStatus = {
  zone: { id: ZONE, name: "saas.dev" },
  live: 0,
  byStatus: {},
  certificates: { byAuthority: {}, byExpiry: {} },
  held: [],
  blocked: [],
  moved: [],
  expired: [],
  expiring: [],
  stuck: [],
  underWay: 0,
  waitingForRecords: 0,
  dnsLeft: [],
  foreignRules: [],
  checks: [],
  gone: [],
  foreign: 0,
  judgement: { drifted: [], adopted: [], underWay: [], foreign: [], unread: [], unjudged: [] },
};

const OPEN: readonly JournalRecord[] = [1, 2].map((seq) => ({
  seq,
  run: "run-7",
  kind: "intent",
  at: HOLDER.since,
  address: addressOf(seq),
  action: "create",
  object: hostname(seq),
}));

/** What status says while the lock is held by a process that lives, is dead, or may be either. */
async function said(isAlive: boolean | undefined): Promise<{ readonly text: string; readonly json: string }> {
  const holder = { ...HOLDER, id: "lock-1" };
  const store = changedStore(memoryStore(), {
    holding: async () => ({ unlockId: "lock-1", holder, isAlive }),
  });
  const lock = await lockIn(store, ZONE, OPEN, Date.parse(HOLDER.since) + 5 * 60_000);
  const status = { ...CALM, ...(lock ? { lock } : {}) };
  return {
    text: flat(statusText([status], { colour: false })),
    json: JSON.stringify(statusDocument([status], [], { byZone: new Map(), code: 0 })),
  };
}

test("status names a lock whose holder may have died with it, and its unfinished changes", async () => {
  const { text, json } = await said(undefined);
  expect(text).toContain("saas.dev: 1 problem needs attention");
  expect(text).toContain(`a run of ${HOLDER.who} (${HOLDER.operation}, since `);
  expect(text).toContain("5 minutes ago) holds the lock, and still runs or was killed; 2 changes are unfinished");
  expect(text).toContain("zoneform state lock --zone saas.dev");
  expect(JSON.parse(json)).toMatchObject({ zones: [{ lock: { who: HOLDER.who, running: false, unfinished: 2 } }] });
});

test("status names a run that is under way, which needs nobody", async () => {
  const { text } = await said(true);
  expect(text).toContain("saas.dev: nothing needs attention");
  expect(text).toContain("holds the lock and is under way; 2 changes are unfinished");
  expect((await said(false)).text).not.toContain("lock");
});

test("status names hostname todo only where customers may have to set records", () => {
  const text = (waitingForRecords: number): string =>
    statusText([{ ...CALM, underWay: 3, waitingForRecords }], { colour: false });
  expect(text(0)).toContain("  3 hostnames are being set up, which usually takes Cloudflare minutes\n");
  expect(text(0)).not.toContain("todo");
  expect(text(2)).toContain(
    "for the DNS records that the customers of 2 of them must set:\n    zoneform hostname todo",
  );
  expect(text(3)).toContain("for the DNS records that the customers must set:\n");
});
