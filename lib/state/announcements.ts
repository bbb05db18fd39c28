import type { JournalEntry, JournalRecord, WriteAction } from "./record.ts";

/**
 * Which intents are stored before their requests are ready, where each write of the journal costs as much as the whole
 * state: one write announces those of many changes.
 */
export interface Announcements {
  /** The intents that will probably follow, in their order. They are asked for when they are needed. */
  foresee(entries: Iterable<JournalEntry>): void;
  /** The next intents to announce with one that has to be stored anyway. */
  next(): readonly JournalEntry[];
  /** Whether an open intent of this action is stored for the address, and stays so until `sending` has a result of it. */
  isStored(address: string, action: WriteAction): boolean;
  /** The change of an address has begun, or will never begin. */
  use(address: string): void;
  /** Announced intents whose changes never began. */
  unused(): readonly JournalEntry[];
  /** An announced intent that has to be withdrawn before one for this address is recorded; undefined if there is room. */
  inTheWay(address: string): JournalEntry | undefined;
  /** An announcement is withdrawn: it comes again with the next ones. */
  putBack(entry: JournalEntry): void;
  /** This record is to be written after all that were added before it. */
  added(record: JournalRecord): void;
  /** These records are about to be written. */
  sending(records: readonly JournalRecord[]): void;
  /** They were. */
  stored(records: readonly JournalRecord[]): void;
}

/**
 * Starts without any. So many are announced that at most `most` intents are without a result, those of changes that have
 * begun included: as many changes a killed process leaves unfinished.
 */
export function openAnnouncements(most: number): Announcements {
  let foreseen: Iterator<JournalEntry> = [][Symbol.iterator]();
  const used = new Set<string>();
  const waiting = new Map<string, JournalEntry>();
  const open = new Map<string, WriteAction>();
  /** The addresses whose last record, stored or not, is an intent. Writes keep the order, so no write leaves more open. */
  const unfinished = new Set<string>();
  const returned: JournalEntry[] = [];

  function next(): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    while (unfinished.size + found.length < most) {
      const entry = returned.shift() ?? following();
      if (!entry) break;
      if (used.has(entry.address) || waiting.has(entry.address)) continue;
      waiting.set(entry.address, entry);
      found.push(entry);
    }
    return found;
  }

  function following(): JournalEntry | undefined {
    const { value, done } = foreseen.next();
    return done === true ? undefined : value;
  }

  return {
    foresee: (entries) => {
      foreseen = entries[Symbol.iterator]();
      returned.length = 0;
    },
    next,
    isStored: (address, action) => open.get(address) === action,
    use: (address) => {
      used.add(address);
      waiting.delete(address);
    },
    unused: () => [...waiting.values()],
    inTheWay: (address) =>
      unfinished.has(address) || unfinished.size < most ? undefined : [...waiting.values()].at(-1),
    putBack: (entry) => {
      waiting.delete(entry.address);
      returned.unshift(entry);
    },
    added: ({ address, kind }) => {
      if (kind === "intent") unfinished.add(address);
      else unfinished.delete(address);
    },
    sending: (records) => {
      for (const { address, kind } of lastOf(records)) if (kind !== "intent") open.delete(address);
    },
    stored: (records) => {
      for (const { address, kind, action } of lastOf(records)) if (kind === "intent") open.set(address, action);
    },
  };
}

/** The last record of each address: what counts after all of them. */
function lastOf(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  return new Map(records.map((record) => [record.address, record])).values();
}
