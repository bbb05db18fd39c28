import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { type ZoneId, zoneId } from "../../../lib/core/brand.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { StateError } from "../../../lib/state/error.ts";
import { loadState } from "../../../lib/state/load.ts";
import { journalFile, localStore, projectFolder } from "../../support/local-store.ts";
import { salvage } from "../../../lib/state/upkeep/repair.ts";
import type { KeyOf } from "../../../lib/state/zone/sealing/cipher.ts";
import { sealedStore } from "../../support/changed-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import {
  addressOf,
  clocksOf,
  collect,
  HOLDER,
  jumpingClock,
  LINEAGE,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";
import { past } from "../../support/zone-history.ts";

const PASSPHRASE = new Secret("correct horse battery staple");
const OTHER_ZONE = zoneId("9a7806061c88ada191ed06f989cc3dac");
const OTHER_LINEAGE = "0b9e8a11-3d5c-4f6e-9a70-4c1d2e3f4a5b";

/** Nobody guesses the passphrases of a test; one key for all zones shows what the binding alone keeps apart. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();

type Written = Readonly<Record<"state" | "journal" | "record", readonly string[]>>;

interface Writing {
  readonly project?: string;
  readonly zone?: ZoneId;
  readonly lineage?: string;
  /** How often somebody else held the lock before. */
  readonly holders?: number;
}

interface World {
  readonly folder: string;
  readonly store: ProjectStore;
  readonly zone: ZoneId;
}

/** A folder with an encrypted state of three hostnames, a journal of three lines, and a record of three lines. */
async function written({
  project = "shop",
  zone = ZONE,
  lineage = LINEAGE,
  holders = 0,
}: Writing = {}): Promise<World> {
  const folder = await projectFolder(project);
  const plain = localStore(disk("refuse"), folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
  const store = sealedStore(plain, { acceptsPlain: false, random, keyOf: quickKey, passphrase: PASSPHRASE });
  for (let count = 0; count < holders; count += 1) await (await store.lock(zone, HOLDER, 0)).release();
  await past(
    store,
    [
      { saved: stateOf(3, { lineage, zone: { id: zone, name: "z" } }) },
      { kept: "note", lines: ["first", "second", "third"] },
      { run: "run-1", left: { create: [7, 8] } },
    ],
    zone,
  );
  return { folder, store, zone };
}

async function* lines(all: readonly string[]): AsyncIterable<string> {
  yield* all;
}

async function pathOf({ folder, zone }: World, part: keyof Written): Promise<string> {
  if (part === "journal") return journalFile(folder, zone);
  return `${folder}/${zone}.${part === "record" ? "kept-note" : part}`;
}

async function rawOf(world: World, part: keyof Written): Promise<readonly string[]> {
  return (await readFile(await pathOf(world, part), "utf8")).trimEnd().split("\n");
}

async function put(world: World, part: keyof Written, raw: readonly string[]): Promise<void> {
  await writeFile(await pathOf(world, part), raw.map((line) => `${line}\n`).join(""));
}

async function opened({ store, zone }: World, part: keyof Written): Promise<readonly string[]> {
  if (part === "journal") return collect((await store.view(zone)).journal());
  const found = part === "state" ? (await store.view(zone)).state?.lines : (await store.view(zone)).kept("note");
  return collect(found ?? lines([]));
}

/** The sealed line with the origin of another line: whoever can write the files can change what is in the clear. */
function withOriginOf(own: string, foreign: string): string {
  const origin = /^\d+\.[^.]+\./;
  return `${origin.exec(own)?.[0] ?? ""}${foreign.replace(origin, "")}`;
}

async function codeOf(action: Promise<unknown>): Promise<string> {
  const thrown = await action.catch((error: unknown) => error);
  return thrown instanceof StateError ? thrown.diagnostic.code : `no refusal: ${String(thrown)}`;
}

const OTHERS: readonly (readonly [whose: string, writing: Writing])[] = [
  ["another lineage", { lineage: OTHER_LINEAGE }],
  ["an earlier epoch", { holders: 0 }],
  ["a later epoch", { holders: 2 }],
  ["another zone", { zone: OTHER_ZONE, holders: 1 }],
  ["another project", { project: "blog", holders: 1 }],
];
const PARTS = ["state", "journal", "record"] as const;
/** A later holder may continue a journal, so its lines open; the chain of the records refuses them. */
const FORGED = OTHERS.flatMap(([whose, writing]) =>
  PARTS.filter((part) => !(part === "journal" && whose === "a later epoch")).map(
    (part) => [part, whose, writing] as const,
  ),
);

describe("a sealed line belongs to its lineage, epoch, zone, project, part and number", () => {
  test.each(FORGED)("a line of the %s of %s counts as damaged", async (part, _whose, writing) => {
    const world = await written({ holders: 1 });
    const before = await opened(world, part);
    const [raw, foreign] = [await rawOf(world, part), await rawOf(await written(writing), part)];
    const [own = "", theirs = ""] = [raw[1], foreign[1]];
    for (const line of [theirs, withOriginOf(own, theirs)]) {
      await put(world, part, raw.with(1, line));
      expect(await opened(world, part)).toEqual(before.with(1, "{}"));
    }
    await put(world, part, raw);
    expect(await opened(world, part)).toEqual(before);
  });

  test.each(PARTS.flatMap((part) => PARTS.filter((other) => other !== part).map((other) => [part, other] as const)))(
    "a line of the %s in the %s counts as damaged",
    async (from, to) => {
      const world = await written();
      const [before, raw, foreign] = [await opened(world, to), await rawOf(world, to), await rawOf(world, from)];
      await put(world, to, raw.with(1, foreign[1] ?? ""));
      expect(await opened(world, to)).toEqual(before.with(1, "{}"));
    },
  );

  test.each(PARTS)("two lines of the %s count as damaged if they are exchanged", async (part) => {
    const world = await written();
    const [before, raw] = [await opened(world, part), await rawOf(world, part)];
    await put(world, part, raw.with(1, raw[2] ?? "").with(2, raw[1] ?? ""));
    expect(await opened(world, part)).toEqual(before.with(1, "{}").with(2, "{}"));
  });

  test("a state without its last lines is damaged", async () => {
    const world = await written();
    const raw = await rawOf(world, "state");
    for (const count of [1, 2]) {
      await put(world, "state", raw.slice(0, -count));
      expect(await codeOf(loadState(world.store, ZONE))).toBe("state-damaged");
    }
  });

  test("the whole state of another lineage is refused next to the journal", async () => {
    const world = await written();
    await put(world, "state", await rawOf(await written({ lineage: OTHER_LINEAGE }), "state"));
    expect(await codeOf(loadState(world.store, ZONE))).toBe("journal-of-another-state");
  });

  test("a header that says another epoch does not open", async () => {
    const world = await written();
    const [header = "", ...rest] = await rawOf(world, "state");
    await put(world, "state", [header.replace('"sealed":"1.', '"sealed":"2.'), ...rest]);
    expect(await codeOf(loadState(world.store, ZONE))).toBe("state-damaged");
  });
});

test("a repair keeps no record of an earlier epoch, even in its place", async () => {
  const world = await written({ holders: 1 });
  const [raw, earlier] = [await rawOf(world, "journal"), await rawOf(await written(), "journal")];
  await put(world, "journal", raw.with(2, earlier[2] ?? ""));
  const { records } = await salvage(world.store.looseLines(ZONE, "journal"));
  expect(records.map(({ address }) => address)).toEqual([addressOf(7)]);
});

test("a later holder continues a journal, and its lines cannot come before the earlier ones", async () => {
  const world = await written();
  const lease = await world.store.lock(ZONE, HOLDER, 0);
  await world.store.append(ZONE, lease, ["continued"]);
  const before = await opened(world, "journal");
  expect(before.at(-1)).toBe("continued");
  const raw = await rawOf(world, "journal");
  expect(raw.map((line) => line.split(".")[0])).toEqual(["1", "1", "1", "2"]);
  const later = await written({ holders: 1 });
  await put(world, "journal", raw.with(0, (await rawOf(later, "journal"))[0] ?? ""));
  expect((await opened(world, "journal")).slice(1)).toEqual(["{}", "{}", before[3]]);
});

test("a record without a state has an epoch and no lineage, and opens", async () => {
  const folder = await projectFolder();
  const plain = localStore(disk("refuse"), folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
  const store = sealedStore(plain, {
    acceptsPlain: false,
    random,
    keyOf: quickKey,
    passphrase: PASSPHRASE,
  });
  const world = { folder, store, zone: ZONE };
  await store.keep(ZONE, await store.lock(ZONE, HOLDER, 0), "note", lines(["before any state"]));
  expect(await opened(world, "record")).toEqual(["before any state"]);
  expect((await rawOf(world, "record"))[0]).toMatch(/^1\.-\./);
});
