import { type Codec, flag, named, nested, optionalStruct, struct, structs } from "../../../core/codec.ts";
import { boolean, text, texts, wholeNumber } from "../../../core/decode.ts";
import { type Entry, REPLACED_STAYS_MILLISECONDS, type View, type ZoneKey } from "../../engine.ts";
import { decodeHolder, encodeHolder, type LockHolder } from "../../lock.ts";
import { VERSION } from "../../zone/shared-value.ts";

/**
 * How many unused objects the list holds; more are removed early. The list is part of an object that is written often,
 * so it has to stay small.
 */
const MOST_LOOSE = 200;

/** A numbered sequence of objects with lines; each is created once. */
export interface LineObjects {
  /** Never reused. */
  readonly name: string;
  readonly count: number;
}

/** Objects that nothing refers to any more. */
export interface Loose extends LineObjects {
  /** Since when they are unused, in ms since the epoch. */
  readonly since: number;
}

/** The object of a zone that is its lock and refers to everything that is kept for it. */
export interface Head {
  /** Different in each version, so that no two have the same tag. */
  readonly nonce: string;
  /** The fence: rises with each holder, and when the lock is freed by hand. */
  readonly epoch: number;
  readonly isLocked: true | undefined;
  /** Who took the lock last. No two holders have the same id. */
  readonly holder: LockHolder | undefined;
  /** The highest serial that a holder of the lock found. */
  readonly serial: number;
  readonly entries: readonly Entry[];
  /** The journal had this many objects when the head was written; it may have more. */
  readonly journal: LineObjects;
  readonly loose: readonly Loose[];
  /** A former holder did not give the lock back: its last requests to the journal may still arrive. */
  readonly isUnfenced: true | undefined;
}

const OBJECTS = { name: text, count: wholeNumber };

const ENTRY: Codec<Entry> = struct<Entry>({
  name: text,
  tag: text,
  bytes: wholeNumber,
  start: texts,
  isWhole: boolean,
});

/** A head as it is stored. */
export const HEAD: Codec<Head> = struct<Head>(
  {
    nonce: text,
    epoch: wholeNumber,
    isLocked: named("isHeld", flag),
    holder: optionalStruct<LockHolder | undefined>({
      decode: decodeHolder,
      encode: (holder) => (holder ? encodeHolder(holder) : {}),
    }),
    serial: wholeNumber,
    entries: structs(ENTRY),
    journal: nested(struct<LineObjects>(OBJECTS)),
    loose: structs(struct<Loose>({ ...OBJECTS, since: wholeNumber })),
    isUnfenced: flag,
  },
  { format: "zoneform-head", version: VERSION },
);

/** The head of an unused zone, as its first holder finds it. */
export function emptyHead(): Head {
  return {
    nonce: "",
    epoch: 0,
    isLocked: undefined,
    holder: undefined,
    serial: 0,
    entries: [],
    journal: { name: "journal/0-0", count: 0 },
    loose: [],
    isUnfenced: undefined,
  };
}

/**
 * The view of a reader. If the last holder gave the lock back, the journal has as many objects as it recorded. A holder
 * of the lock looks for further objects anyway, because a person may have put back an earlier head.
 */
export function readView(head: Head): View {
  const isJournalKnown = !head.isLocked && !head.isUnfenced;
  return { ...viewOf(head), ...(isJournalKnown && head.journal.count === 0 ? { isJournalEmpty: true } : {}) };
}

/** The view of a zone, from its head. */
export function viewOf({ entries, journal, holder, serial }: Head): View {
  return { entries, journal: tagOf(journal), taken: holder && { holder, serial } };
}

/** The tag that names objects of lines. */
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
  /** The observed hostnames. */
  readonly seen: string;
  /** Never exists; deleted to find out whether deleting is allowed. */
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
 * The head after a change. What `before` named and `after` no longer names goes on the list of unused objects. They
 * stay for a while, for processes that are still reading them.
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

/**
 * The keys to remove now: of objects that nobody reads any more, or if the list is too long. The last object of each
 * sequence comes first.
 */
export function* removable(keys: Keys, loose: readonly Loose[], now: number): Iterable<string> {
  for (const [index, { name, count, since }] of loose.entries())
    if (now - since > REPLACED_STAYS_MILLISECONDS || loose.length - index > MOST_LOOSE)
      for (let number = count - 1; number >= 0; number -= 1) yield keys.object(name, number);
}

/** The list without these keys. A sequence gets shorter from its end, and leaves the list when it is empty. */
export function withoutKeys(keys: Keys, loose: readonly Loose[], gone: ReadonlySet<string>): readonly Loose[] {
  return loose.flatMap((each) => {
    let { count } = each;
    while (count > 0 && gone.has(keys.object(each.name, count - 1))) count -= 1;
    return count > 0 ? { ...each, count } : [];
  });
}
