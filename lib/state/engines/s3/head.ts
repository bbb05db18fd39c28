import { type Codec, flag, nested, optionalRecord, record, records } from "../../../core/codec.ts";
import { boolean, text, texts, wholeNumber } from "../../../core/decode.ts";
import { type Entry, REPLACED_STAYS_MILLISECONDS, type View, type ZoneKey } from "../../engine.ts";
import { decodeHolder, encodeHolder, type LockHolder } from "../../lock.ts";
import { VERSION } from "../../zone/shared-value.ts";

/** More than this is removed earlier: the list is part of an object that is written often, so it has to stay small. */
const MOST_LOOSE = 200;

/** Objects that have lines, one after the other; each is created once. */
export interface LineObjects {
  /** Never used again. */
  readonly name: string;
  readonly count: number;
}

/** Objects to which nothing points any more. */
export interface Loose extends LineObjects {
  /** Since when, in ms since the epoch. */
  readonly since: number;
}

/** The object of a zone that is both its lock and the pointer to everything that is kept for it. */
export interface Head {
  /** Different in each version, so that no two have the same tag. */
  readonly nonce: string;
  /** Rises with each holder, and when somebody frees the lock by hand. */
  readonly epoch: number;
  readonly isHeld: true | undefined;
  /** Who took the lock last. No two holders have the same id. */
  readonly holder: LockHolder | undefined;
  /** The highest serial that a holder of the lock found. */
  readonly serial: number;
  readonly entries: readonly Entry[];
  /** When this was written it had so many objects; there may be more. */
  readonly journal: LineObjects;
  readonly loose: readonly Loose[];
  /** Somebody held the lock and did not give it back: what they sent to the journal last may still arrive. */
  readonly isUnfenced: true | undefined;
}

const OBJECTS = { name: text, count: wholeNumber };

const ENTRY: Codec<Entry> = record<Entry>({
  name: text,
  tag: text,
  bytes: wholeNumber,
  start: texts,
  isWhole: boolean,
});

/** A head as an object keeps it. */
export const HEAD: Codec<Head> = record<Head>(
  {
    nonce: text,
    epoch: wholeNumber,
    isHeld: flag,
    holder: optionalRecord<LockHolder | undefined>({
      decode: decodeHolder,
      encode: (holder) => (holder ? encodeHolder(holder) : {}),
    }),
    serial: wholeNumber,
    entries: records(ENTRY),
    journal: nested(record<LineObjects>(OBJECTS)),
    loose: records(record<Loose>({ ...OBJECTS, since: wholeNumber })),
    isUnfenced: flag,
  },
  { format: "zoneform-head", version: VERSION },
);

/** The head of a zone that nobody has used, as its first holder finds it. */
export function emptyHead(): Head {
  return {
    nonce: "",
    epoch: 0,
    isHeld: undefined,
    holder: undefined,
    serial: 0,
    entries: [],
    journal: { name: "journal/0-0", count: 0 },
    loose: [],
    isUnfenced: undefined,
  };
}

/**
 * What a head says of its zone to somebody who only reads. The run that gave the lock back knew how many objects the
 * journal has. The holder of a lock looks for them all the same: somebody may have put back an earlier head.
 */
export function readView(head: Head): View {
  const isJournalKnown = !head.isHeld && !head.isUnfenced;
  return { ...viewOf(head), ...(isJournalKnown && head.journal.count === 0 ? { isJournalEmpty: true } : {}) };
}

/** What a head says of its zone. */
export function viewOf({ entries, journal, holder, serial }: Head): View {
  return { entries, journal: tagOf(journal), taken: holder && { holder, serial } };
}

/** Objects of lines as a tag names them. */
export function tagOf({ name, count }: LineObjects): string {
  return `${name}/${count}`;
}

/** The objects of lines that a tag names. */
export function objectsOf(tag: string): LineObjects {
  const end = tag.lastIndexOf("/");
  return { name: tag.slice(0, end), count: Number(tag.slice(end + 1)) };
}

/** The keys of a zone of a project, below the prefix of the store. */
export interface Keys {
  readonly head: string;
  /** What was seen of hostnames. */
  readonly seen: string;
  /** Deleted, although it is never there, to find out whether that is allowed. */
  readonly check: string;
  /** An object of lines. */
  object(name: string, number: number): string;
}

/** The keys of a zone. */
export function keysOf({ project, zone }: ZoneKey): Keys {
  const base = `${project}/${zone}`;
  return {
    head: `${base}/head`,
    seen: `${base}/seen`,
    check: `${base}/check`,
    object: (name, number) => `${base}/${name}/${number}`,
  };
}

/**
 * The head after a change, with what it no longer names in the list of what is to be removed: `before` is what it was.
 * What nobody needs any more stays for a while, for those who are reading it.
 */
export function loosened(before: Head, after: Head, since: number): Head {
  const named = ({ entries, journal }: Head): readonly LineObjects[] => [
    ...entries.map(({ tag }) => objectsOf(tag)),
    journal,
  ];
  const used = new Set(named(after).map(({ name }) => name));
  const gone = new Map(named(before).map((each) => [each.name, each]));
  const loose = [...gone.values()].filter(({ name, count }) => !used.has(name) && count > 0);
  return { ...after, loose: [...after.loose, ...loose.map((each): Loose => ({ ...each, since }))] };
}

/** The keys of what may be removed now: nobody reads it any more, or the list is too long. Of each thing the last object first. */
export function* removable(keys: Keys, loose: readonly Loose[], now: number): Iterable<string> {
  for (const [index, { name, count, since }] of loose.entries())
    if (now - since > REPLACED_STAYS_MILLISECONDS || loose.length - index > MOST_LOOSE)
      for (let number = count - 1; number >= 0; number -= 1) yield keys.object(name, number);
}

/** What is left of the list without these keys: a thing gets shorter from its end, and then leaves the list. */
export function withoutKeys(keys: Keys, loose: readonly Loose[], gone: ReadonlySet<string>): readonly Loose[] {
  return loose.flatMap((each) => {
    let { count } = each;
    while (count > 0 && gone.has(keys.object(each.name, count - 1))) count -= 1;
    return count > 0 ? { ...each, count } : [];
  });
}
