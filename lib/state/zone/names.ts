import { isCopyName } from "../copy-name.ts";
import { type Entry, STATE } from "../engine.ts";
import { checkRecordName } from "../record-name.ts";

const BACKUP = "state.backup-";
const RECORD = "kept-";

/** What the lines of an entry are. */
export type EntryRole =
  | { readonly role: "state" | "unknown" }
  | { readonly role: "backup"; readonly serial: number }
  | { readonly role: "record" | "set-aside"; readonly as: string };

/** The entry of an earlier copy. */
export function backupName(serial: number): string {
  return `${BACKUP}${serial}`;
}

/** The entry of a record beside the state. Throws `RangeError` for what is no name of one. */
export function recordName(name: string): string {
  checkRecordName(name);
  return `${RECORD}${name}`;
}

/** What an entry is, by its name. */
export function roleOf({ name }: Pick<Entry, "name">): EntryRole {
  if (name === STATE) return { role: "state" };
  if (name.startsWith(BACKUP)) return { role: "backup", serial: Number(name.slice(BACKUP.length)) };
  if (name.startsWith(RECORD)) return { role: "record", as: name.slice(RECORD.length) };
  return isCopyName(name) ? { role: "set-aside", as: name } : { role: "unknown" };
}

/** The serials of the earlier copies, newest first. */
export function backupSerials(entries: readonly Entry[]): readonly number[] {
  const serials = entries.flatMap((entry) => {
    const found = roleOf(entry);
    return found.role === "backup" ? [found.serial] : [];
  });
  return serials.sort((left, right) => right - left);
}

/** The names of the records beside the state, in order. */
export function recordNames(entries: readonly Entry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    const found = roleOf(entry);
    return found.role === "record" ? [found.as] : [];
  });
  return names.sort();
}
