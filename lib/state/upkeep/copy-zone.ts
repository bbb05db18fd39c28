import { problem } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { collected } from "../../core/lists.ts";
import { StateError } from "../error.ts";
import type { Lease } from "../lock.ts";
import type { ProjectStore } from "../zone/store.ts";
import { readableCopies } from "./copies.ts";

/**
 * Copies everything that is kept for a zone to a store without a state of it. The records come before the state, so a
 * state is never there without them. An unreadable earlier copy is left out.
 */
export async function copyZone(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  const source = await from.view(zone);
  for (const name of source.names) await to.keep(zone, lease, name, source.kept(name) ?? none());
  if (source.state) await to.write(zone, lease, undefined, source.state.lines);
  if (!(await isSame(source.journal(), none()))) await to.rewriteJournal(zone, lease, source.journal());
  await completeCopy(from, to, zone, lease);
}

/** Copies what comes after the state, except what an interrupted copy already brought. */
export async function completeCopy(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  const source = await from.view(zone);
  const there = (await to.view(zone)).backups;
  for (const serial of await readableCopies(source))
    if (!there.includes(serial)) await to.addBackup(zone, lease, serial, source.backup(serial));
  const missing = await missingObservations(from, to, zone);
  if (missing.length > 0) await to.observe(zone, missing);
}

/** Reads the copy back and compares it line by line. Throws `StateError`. */
export async function verifyZone(from: ProjectStore, to: ProjectStore, zone: ZoneId): Promise<void> {
  const [source, copy] = [await from.view(zone), await to.view(zone)];
  const check = (isEqual: boolean, what: string): void => {
    if (!isEqual) throw notTheSame(copy.describe(), what);
  };
  check(await isSame(source.state?.lines, copy.state?.lines), "the state");
  check(await isSame(source.journal(), copy.journal()), "the journal");
  check(source.names.join(" ") === copy.names.join(" "), "the list of records");
  for (const name of source.names) check(await isSame(source.kept(name), copy.kept(name)), `the record ${name}`);
  for (const serial of await readableCopies(source)) {
    const isThere = copy.backups.includes(serial) && (await isSame(source.backup(serial), copy.backup(serial)));
    check(isThere, `the earlier copy of serial ${serial}`);
  }
  check((await missingObservations(from, to, zone)).length === 0, "the observations of hostnames");
}

/**
 * The observed lines that the new place lacks and can keep. Without them, later runs know less about hostnames; nothing
 * else is lost.
 */
async function missingObservations(from: ProjectStore, to: ProjectStore, zone: ZoneId): Promise<readonly string[]> {
  if (to.keepsNoSightings) return [];
  const known = new Set(await collected(to.observations(zone)));
  return (await collected(from.observations(zone))).filter((line) => !known.has(line));
}

async function isSame(left = none(), right = none()): Promise<boolean> {
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
