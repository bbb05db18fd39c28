import { problem } from "../../core/problem.ts";
import type { ZoneId } from "../../core/brand.ts";
import { collected } from "../../core/streams.ts";
import { StateError } from "../error.ts";
import { readableCopies } from "./copies.ts";
import type { Lease } from "../store.ts";
import type { ProjectStore } from "../upkeep.ts";

/**
 * Copies everything that is kept of a zone to a store that has no state of it. The records come before the state: if it is
 * there, they are. An earlier copy that cannot be read is left out.
 */
export async function copyZone(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  for (const name of await from.names(zone)) {
    const lines = await from.kept(zone, name);
    if (lines) await to.keep(zone, lease, name, lines);
  }
  const stored = await from.read(zone);
  if (stored) await to.write(zone, lease, undefined, stored.lines);
  if (!(await isSame(from.journal(zone), none()))) await to.rewriteJournal(zone, lease, from.journal(zone));
  await completeCopy(from, to, zone, lease);
}

/** Copies what comes after the state, and leaves what an interrupted copy already brought. */
export async function completeCopy(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  const there = await to.backups(zone);
  for (const serial of await readableCopies(from, zone))
    if (!there.includes(serial)) await to.addBackup(zone, lease, serial, from.backup(zone, serial));
  const missing = await missingObservations(from, to, zone);
  if (missing.length > 0) await to.observe(zone, missing);
}

/** Reads back what was copied, and compares it line by line. Throws `StateError`. */
export async function verifyZone(from: ProjectStore, to: ProjectStore, zone: ZoneId): Promise<void> {
  const check = (isEqual: boolean, what: string): void => {
    if (!isEqual) throw notTheSame(to.describe(zone), what);
  };
  const [stored, copied] = [await from.read(zone), await to.read(zone)];
  check(await isSame(stored?.lines ?? none(), copied?.lines ?? none()), "the state");
  check(await isSame(from.journal(zone), to.journal(zone)), "the journal");
  const names = await from.names(zone);
  check(names.join(" ") === (await to.names(zone)).join(" "), "the list of records");
  for (const name of names)
    check(
      await isSame((await from.kept(zone, name)) ?? none(), (await to.kept(zone, name)) ?? none()),
      `the record ${name}`,
    );
  const copies = await to.backups(zone);
  for (const serial of await readableCopies(from, zone)) {
    const isThere = copies.includes(serial) && (await isSame(from.backup(zone, serial), to.backup(zone, serial)));
    check(isThere, `the earlier copy of serial ${serial}`);
  }
  check((await missingObservations(from, to, zone)).length === 0, "the observations of hostnames");
}

/** The observed lines that the new place lacks and can keep. Without them, later runs know less of hostnames; nothing else is lost. */
async function missingObservations(from: ProjectStore, to: ProjectStore, zone: ZoneId): Promise<readonly string[]> {
  if (to.recordsNothing) return [];
  const known = new Set(await collected(to.observations(zone)));
  return (await collected(from.observations(zone))).filter((line) => !known.has(line));
}

async function isSame(left: AsyncIterable<string>, right: AsyncIterable<string>): Promise<boolean> {
  const others = right[Symbol.asyncIterator]();
  try {
    for await (const line of left) {
      const other = await others.next();
      if (other.done || other.value !== line) return false;
    }
    return (await others.next()).done === true;
  } finally {
    await others.return?.();
  }
}

async function* none(): AsyncIterable<string> {}

function notTheSame(where: string, what: string): StateError {
  return new StateError(problem("state-copy-differs", { what, where }));
}
