import type { JournalEntry, JournalRecord, WriteAction } from "./record.ts";

/**
 * Where each write of the journal costs as much as the whole state, one write stores the intents of many changes,
 * before their requests are ready. This decides which.
 */
export interface Announcements {
  /** Takes the intents that will probably follow, in order. They are read only when needed. */
  foresee(entries: Iterable<JournalEntry>): void;
  /** The next intents to store together with one that has to be stored now. */
  next(): readonly JournalEntry[];
  /**
   * Whether an open intent with this action is stored for the address. It stays open until `sending` gets its result.
   */
  isStored(address: string, action: WriteAction): boolean;
  /** Records that the change of an address has begun, or will never begin. */
  use(address: string): void;
  /** Announced intents whose changes never began. */
  unused(): readonly JournalEntry[];
  /** The announced intent to withdraw before an intent for this address can be recorded; undefined if there is room. */
  inTheWay(address: string): JournalEntry | undefined;
  /** Takes back a withdrawn intent: it is announced again with the next ones. */
  putBack(entry: JournalEntry): void;
  /** Records that this record will be written after all that were added before it. */
  added(record: JournalRecord): void;
  /** Records that these records are about to be written. */
  sending(records: readonly JournalRecord[]): void;
  /** Records that they are written. */
  stored(records: readonly JournalRecord[]): void;
}

/**
 * Starts with no announcements. `most` limits the intents without a result, including those of changes that have begun:
 * a killed process leaves at most this many changes unfinished.
 */
export function openAnnouncements(most: number): Announcements {
  let foreseen: Iterator<JournalEntry> = [][Symbol.iterator]();
  const used = new Set<string>();
  const waiting = new Map<string, JournalEntry>();
  const open = new Map<string, WriteAction>();
  /**
   * The addresses whose last record, stored or not, is an intent. Writes keep this order, so no write leaves more of
   * them open.
   */
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

/** The last record of each address: the one that counts after all of them. */
function lastOf(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  return new Map(records.map((record) => [record.address, record])).values();
}
