import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Secret } from "../../../lib/core/secret.ts";
import { disk } from "../../../lib/real/disk.ts";
import {
  believedChecks,
  condenseObservations,
  decodeCheck,
  type DriftCheck,
  encodeCheck,
  encodeObservation,
  type FailedCheck,
  lastChecks,
  neededChecks,
  readObservations,
} from "../../../lib/state/observations.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import { sealedStore } from "../../support/changed-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { clocksOf, jumpingClock, processOf, random, ZONE } from "../../support/state-world.ts";

const LINEAGE = "0b6c4c1e-7f0c-4b6b-8a53-5a4f6e0d5a11";

function at(minute: number): string {
  return new Date(Date.UTC(2026, 10, 21, 6, minute)).toISOString();
}

function check(minute: number, lineage = LINEAGE): DriftCheck {
  const counts = {
    objects: 2,
    fields: 9,
    fieldsNotJudged: 3,
    beingChanged: 1,
    notJudged: 1,
    drifted: 0,
    vanished: 0,
    foreign: 1,
    unread: 2,
  };
  return { at: at(minute), lineage, serial: 7, counts };
}

function failure(minute: number): FailedCheck {
  return { at: at(minute), errors: ["not-allowed"] };
}

async function storeIn(folder: string): Promise<ProjectStore> {
  return localStore(disk("refuse"), folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
}

describe("the line of a check", () => {
  test.each([check(1), failure(2)])("says the same after it was written and read", (made) => {
    expect(decodeCheck(encodeCheck(made))).toEqual(made);
  });

  test.each([check(1), failure(2)])("is not believed with any of its characters changed", (made) => {
    const line = encodeCheck(made);
    for (let index = 0; index < line.length; index += 1) {
      const other = line[index] === "1" ? "2" : "1";
      expect(decodeCheck(`${line.slice(0, index)}${other}${line.slice(index + 1)}`)).toBeUndefined();
    }
  });

  test("is none that says something of a hostname", () => {
    expect(decodeCheck(encodeObservation({ id: "a", hostname: "a.net", status: "moved", at: at(1) }))).toBeUndefined();
  });
});

describe("the last check", () => {
  test("is the newest one of this state, and one that failed counts only if it is newer", () => {
    expect(lastChecks([check(1), check(2), check(3, "another")], LINEAGE)).toEqual({ last: check(2) });
    expect(lastChecks([failure(1), check(2)], LINEAGE)).toEqual({ last: check(2) });
    expect(lastChecks([check(1), failure(2)], LINEAGE)).toEqual({ last: check(1), failed: failure(2) });
    expect(lastChecks([failure(1)], LINEAGE)).toEqual({ failed: failure(1) });
    expect(lastChecks([], LINEAGE)).toEqual({});
  });

  test("is not one from the future, and condensing keeps those before it", async () => {
    const store = await storeIn(await projectFolder());
    await store.observe(ZONE, [check(1), check(2), check(59)].map(encodeCheck));
    await condenseObservations(store, ZONE);
    const found = await readObservations(store, ZONE);
    expect(lastChecks(believedChecks(found, at(10)), LINEAGE)).toEqual({ last: check(2) });
  });
});

describe("condensing", () => {
  test("keeps the newest checks of each sort, beside what was seen of hostnames", async () => {
    const store = await storeIn(await projectFolder());
    const seen = encodeObservation({ id: "a", hostname: "a.net", status: "moved", at: at(1) });
    const checks = Array.from({ length: 50 }, (_value, minute) => (minute < 3 ? failure(minute) : check(minute)));
    await store.observe(ZONE, [seen, ...checks.map(encodeCheck)]);
    await condenseObservations(store, ZONE);
    const { byId, checks: left, unreadable } = await readObservations(store, ZONE);
    expect([byId.size, unreadable]).toEqual([1, 0]);
    expect(left).toEqual(neededChecks(checks));
    expect(lastChecks(left, LINEAGE)).toEqual(lastChecks(checks, LINEAGE));
  });
});

test("beside an encrypted state a check is encrypted, and reads back", async () => {
  const folder = await projectFolder();
  const sealed = sealedStore(await storeIn(folder), {
    passphrase: new Secret("correct horse battery staple"),
    acceptsPlain: false,
    random,
    keyOf: async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest(),
  });
  await sealed.observe(ZONE, [encodeCheck(check(1))]);
  await condenseObservations(sealed, ZONE);
  for (const name of await readdir(folder))
    expect(await readFile(join(folder, name), "utf8")).not.toMatch(/checked|fields/);
  expect((await readObservations(sealed, ZONE)).checks).toEqual([check(1)]);
});

test("checks that several runs record at once are all kept", async () => {
  const folder = await projectFolder();
  const minutes = Array.from({ length: 30 }, (_value, minute) => minute);
  await Promise.all(minutes.map(async (minute) => (await storeIn(folder)).observe(ZONE, [encodeCheck(check(minute))])));
  const { checks } = await readObservations(await storeIn(folder), ZONE);
  expect(checks).toEqual(minutes.map((minute) => check(minute)));
});
