import { expect, test } from "vitest";
import { lockText, takeOverLines, unlockLines } from "../../../cmd/commands/state-lock.ts";
import { examine } from "../../../lib/state/upkeep/doctor.ts";
import { beginState } from "../../../lib/state/load.ts";
import { Journal } from "../../../lib/state/open-journal.ts";
import type { Holding } from "../../../lib/state/lock.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { addressOf, HOLDER, hostname, jumpingClock, random, ZONE } from "../../support/state-world.ts";
import { changedStore } from "../../support/changed-store.ts";

const zone = { id: ZONE, name: "saas.dev" };
const NOW = Date.parse(HOLDER.since) + 5 * 60_000;

/** What `state lock` says of a run that left a change unfinished, and what `state doctor` finds. */
async function said(known: Pick<Holding, "isAlive" | "renewal">): Promise<{ lock: string; doctor: unknown }> {
  const memory = memoryStore();
  const lease = await memory.lock(ZONE, HOLDER, 0);
  const { state } = await beginState(memory, lease, zone, random);
  const journal = new Journal(memory, ZONE, lease, { clock: jumpingClock(), run: "run-7", state });
  await journal.intend({ address: addressOf(1), action: "create", object: hostname(1) });
  const holding = { unlockId: "lock-1", holder: { ...HOLDER, id: "lock-1" }, ...known };
  const store = changedStore(memory, { holding: async () => holding });
  const { findings } = await examine(store, ZONE, NOW, [], zone.name);
  const text = await lockText({ store, clock: { ...jumpingClock(), now: () => NOW } }, { zone, holding });
  const steps = [...takeOverLines({ zone, holding }, (command) => command), ...unlockLines({ holding }, "UNLOCK")];
  return { lock: [text, ...steps].join("\n"), doctor: findings };
}

const renewal = { ageMilliseconds: 8000, deadAfterMilliseconds: 60_000 };

test("a run that may live: both say the same, and the doctor does not call it stopped", async () => {
  const { lock, doctor } = await said({ isAlive: undefined });
  expect(lock).toContain("  since      2026-03-01 12:00 UTC, 5 minutes ago\n");
  expect(lock).toContain("  alive      unknown: it still runs or was killed, so make sure that it is gone\n");
  expect(lock).toMatch(/\n {2}to unlock\n {4}UNLOCK$/);
  expect(doctor).toEqual([
    {
      severity: "warning",
      code: "lock-held",
      message: "the run that holds the lock still runs or was killed",
      remedy: "make sure that it is gone, then unlock the state:",
      commands: ["zoneform state unlock lock-1 --zone saas.dev"],
    },
  ]);
});

test("a run that may live and renews its lock: the next apply takes the lock, if it waits long enough", async () => {
  const { lock, doctor } = await said({ isAlive: undefined, renewal });
  const takes = "if it is gone, the next apply watches the lock for 60 s, then takes it";
  const command = "zoneform apply --zone saas.dev --lock-timeout 75";
  expect(lock).toContain(`  alive      unknown, last renewed 8 s ago: ${takes}\n`);
  expect(lock).toContain(`\n    ${command}\n`);
  expect(lock).toMatch(/to unlock sooner, once you are sure that it is gone\n {4}UNLOCK$/);
  expect(doctor).toMatchObject([{ code: "lock-held", remedy: `${takes}:`, commands: [command] }]);
});

test("a dead run: nothing is to do, and what it left unfinished is found", async () => {
  const silent = { ...renewal, ageMilliseconds: 91_000 };
  const { lock, doctor } = await said({ isAlive: false, renewal: silent });
  const takes = "nothing to do, the next apply watches the lock for 60 s, then takes it";
  expect(lock).toContain(`  alive      no, last renewed 91 s ago: ${takes}\n`);
  expect(lock).not.toContain("UNLOCK");
  expect(doctor).toMatchObject([{ code: "open-create" }, { code: "journal-left" }, { code: "lock-held" }]);
});

test("a run that lives is to be waited for", async () => {
  const { lock, doctor } = await said({ isAlive: true });
  expect(lock).toContain("  alive      yes: wait for it\n");
  expect(lock).toMatch(/to unlock all the same: that run can then write nothing more, .*\n {4}UNLOCK$/);
  expect(doctor).toEqual([]);
});
