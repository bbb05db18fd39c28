import { createHash } from "node:crypto";
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { zoneId } from "../../../lib/core/brand.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { saveState } from "../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { condenseObservations, encodeObservation, readObservations } from "../../../lib/state/observations.ts";
import { nextRepair } from "../../../lib/state/upkeep/repair.ts";
import { rewriteState } from "../../../lib/state/upkeep/rewrite.ts";
import type { KeyOf } from "../../../lib/state/zone/sealing/cipher.ts";
import type { Sealing } from "../../../lib/state/zone/sealing/engine.ts";
import { sealedStore } from "../../support/changed-store.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, stateOf, ZONE } from "../../support/state-world.ts";

const PASSPHRASE = new Secret("correct horse battery staple");
const OTHER = new Secret("another passphrase altogether");
const NAME = "shop.customer.net";

/** Nobody guesses the passphrases of a test. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();

function open(folder: string, sealing: Partial<Sealing> = { passphrase: PASSPHRASE }): ProjectStore {
  const plain = localStore(disk("refuse"), folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
  return sealedStore(plain, { acceptsPlain: false, random, keyOf: quickKey, ...sealing });
}

function line(id: string): string {
  return encodeObservation({ id, hostname: NAME, status: "moved", at: "2026-11-21T06:00:00.000Z" });
}

async function textIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.includes(".observations-"));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("");
}

async function read(store: ProjectStore): Promise<{ ids: readonly string[]; codes: readonly string[] }> {
  const { byId, findings } = await readObservations(store, ZONE);
  return { ids: [...byId.keys()].sort(), codes: findings.map(({ code }) => code) };
}

describe("observations beside an encrypted state", () => {
  test("are encrypted line by line, and whoever has the passphrase reads them back, in any order", async () => {
    const folder = await projectFolder();
    await open(folder).observe(ZONE, [line("a"), line("b")]);
    await open(folder).observe(ZONE, [line("c")]);
    await condenseObservations(open(folder), ZONE);
    await open(folder).observe(ZONE, [line("d")]);
    expect(await read(open(folder))).toEqual({ ids: ["a", "b", "c", "d"], codes: [] });
    const text = await textIn(folder);
    for (const word of [NAME, "moved", "2026", "{"]) expect(text).not.toContain(word);
  });

  test("are reported and not believed if somebody without the passphrase wrote them", async () => {
    const folder = await projectFolder();
    await open(folder).observe(ZONE, [line("ours")]);
    const path = join(folder, `${ZONE}.observations-1`);
    await appendFile(path, `\n${line("planted")}\n`);
    await open(folder, { passphrase: OTHER }).observe(ZONE, [line("of another key")]);
    expect(await read(open(folder))).toEqual({ ids: ["ours"], codes: ["observations-damaged"] });
  });

  test("cannot be read without a passphrase, which stops nobody", async () => {
    const folder = await projectFolder();
    await open(folder).observe(ZONE, [line("a")]);
    expect(await read(open(folder, {}))).toEqual({ ids: [], codes: ["observations-unread"] });
  });

  test("are not accepted from another zone", async () => {
    const folder = await projectFolder();
    await open(folder).observe(ZONE, [line("a")]);
    const elsewhere = open(folder);
    const [sealed = ""] = (await textIn(folder)).trim().split("\n");
    const other = zoneId("0".repeat(32));
    await appendFile(join(folder, `${other}.observations-1`), `\n${sealed}\n`);
    expect((await readObservations(elsewhere, other)).byId.size).toBe(0);
  });

  test("are encrypted by state encrypt, and again with another passphrase", async () => {
    const folder = await projectFolder();
    const plain = open(folder, {});
    const lease = await plain.lock(ZONE, HOLDER, 0);
    await saveState(plain, lease, undefined, stateOf(1));
    await plain.observe(ZONE, [line("a")]);
    await lease.release();
    expect(await textIn(folder)).toContain(NAME);

    for (const sealing of [
      { passphrase: PASSPHRASE, acceptsPlain: true },
      { passphrase: OTHER, previous: PASSPHRASE },
    ]) {
      const store = open(folder, sealing);
      const held = await store.lock(ZONE, HOLDER, 0);
      await rewriteState({ store, random }, { id: ZONE, name: "saas.eu" }, held);
      await held.release();
      expect(await textIn(folder)).not.toContain(NAME);
      expect(await read(open(folder, { passphrase: sealing.passphrase }))).toEqual({ ids: ["a"], codes: [] });
    }
    expect((await read(open(folder))).ids).toEqual([]);
  });

  test("lose in a repair exactly the lines that cannot be read", async () => {
    const folder = await projectFolder();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await saveState(store, lease, undefined, stateOf(1));
    await store.observe(ZONE, [line("a")]);
    expect(await nextRepair(store, ZONE)).toBeUndefined();
    await appendFile(join(folder, `${ZONE}.observations-1`), "\nnothing of ours\n");
    const step = await nextRepair(store, ZONE);
    expect(step?.says.join()).toContain("1 of 2 lines cannot be read");
    await step?.carryOut(lease);
    expect(await nextRepair(store, ZONE)).toBeUndefined();
    expect(await read(store)).toEqual({ ids: ["a"], codes: [] });
  });
});
