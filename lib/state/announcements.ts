import type { JournalEntry, JournalRecord, WriteAction } from "./journal-record.ts";

/**
 * Where each write of the journal costs as much as the whole state, one write stores the intents of many changes,
 * before their requests are ready. This decides which.
 */
export class Announcements {
  private readonly most: number;
  private foreseen: Iterator<JournalEntry> = [][Symbol.iterator]();
  private readonly used = new Set<string>();
  private readonly waiting = new Map<string, JournalEntry>();
  private readonly intents = new Map<string, WriteAction>();
  /**
   * The addresses whose last record, stored or not, is an intent. Writes keep this order, so no write leaves more of
   * them unfinished.
   */
  private readonly unfinished = new Set<string>();
  private returned: JournalEntry[] = [];

  /**
   * Starts with no announcements. `most` limits the intents without a result, including those of changes that have begun:
   * a killed process leaves at most this many changes unfinished.
   */
  constructor(most: number) {
    this.most = most;
  }

  /** Takes the intents that will probably follow, in order. They are read only when needed. */
  foresee(entries: Iterable<JournalEntry>): void {
    this.foreseen = entries[Symbol.iterator]();
    this.returned = [];
  }

  /** The next intents to store together with one that has to be stored now. */
  next(): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    while (this.unfinished.size + found.length < this.most) {
      const entry = this.returned.shift() ?? this.following();
      if (!entry) break;
      if (this.used.has(entry.address) || this.waiting.has(entry.address)) continue;
      this.waiting.set(entry.address, entry);
      found.push(entry);
    }
    return found;
  }

  private following(): JournalEntry | undefined {
    const { value, done } = this.foreseen.next();
    return done === true ? undefined : value;
  }

  /** Whether an unfinished intent with this action is stored for the address. It stays unfinished until `sending` gets its result. */
  isStored(address: string, action: WriteAction): boolean {
    return this.intents.get(address) === action;
  }

  /** Records that the change of an address has begun, or will never begin. */
  use(address: string): void {
    this.used.add(address);
    this.waiting.delete(address);
  }

  /** Announced intents whose changes never began. */
  unused(): readonly JournalEntry[] {
    return [...this.waiting.values()];
  }

  /** The announced intent to withdraw before an intent for this address can be recorded; undefined if there is room. */
  inTheWay(address: string): JournalEntry | undefined {
    const hasRoom = this.unfinished.has(address) || this.unfinished.size < this.most;
    return hasRoom ? undefined : [...this.waiting.values()].at(-1);
  }

  /** Takes back a withdrawn intent: it is announced again with the next ones. */
  putBack(entry: JournalEntry): void {
    this.waiting.delete(entry.address);
    this.returned.unshift(entry);
  }

  /** Records that this record will be written after all that were added before it. */
  added({ address, kind }: JournalRecord): void {
    if (kind === "intent") this.unfinished.add(address);
    else this.unfinished.delete(address);
  }

  /** Records that these records are about to be written. */
  sending(records: readonly JournalRecord[]): void {
    for (const { address, kind } of lastOf(records)) if (kind !== "intent") this.intents.delete(address);
  }

  /** Records that they are written. */
  stored(records: readonly JournalRecord[]): void {
    for (const { address, kind, action } of lastOf(records)) if (kind === "intent") this.intents.set(address, action);
  }
}

/** The last record of each address: the one that counts after all of them. */
function lastOf(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  return new Map(records.map((record) => [record.address, record])).values();
}
