import { type Codec, flag, nested, optional, record, records } from "../../../core/codec.ts";
import { boolean, optionalText, text, texts, wholeNumber } from "../../../core/decode.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Entry, REPLACED_STAYS_MILLISECONDS, type View, type ZoneKey } from "../../engine.ts";
import { decodeHolder, encodeHolder } from "../../lock.ts";
import { VERSION } from "../../shared-value.ts";
import type { LockHolder } from "../../store.ts";

/** More than this is removed earlier: the list is part of an object that is written often, so it has to stay small. */
const MOST_LOOSE = 200;

/** A journal: objects that are created once, numbered from 0. */
export interface JournalName {
  readonly name: string;
  /** How many there were when the head was written; there may be more. */
  readonly segments: number;
}

/** What nothing points to any more, or never will. */
export interface Loose {
  readonly kind: "bodies" | "journal";
  readonly name: string;
  readonly parts: number;
  /** Since when, in ms since the epoch. */
  readonly since: number;
}

/** A holder that did not give the lock back: its last requests may still be under way. */
export interface Unclean {
  readonly author: string;
  /** The number of the next name that it would have used, as far as the head knew. */
  readonly next: number;
}

/** The object of a zone that is both its lock and the pointer to everything that is kept for it. */
export interface Head {
  /** Different in each version, so that no two have the same tag. */
  readonly nonce: string;
  /** Rises with each holder, and when somebody frees the lock by hand. */
  readonly epoch: number;
  readonly isHeld: true | undefined;
  /** Who took the lock last. */
  readonly holder: LockHolder | undefined;
  /** Rises with each renewal. */
  readonly renewals: number;
  /** The number of the next name of this holder. */
  readonly next: number;
  /** The highest serial that a holder of the lock found. */
  readonly serial: number;
  readonly entries: readonly Entry[];
  readonly journal: JournalName;
  readonly loose: readonly Loose[];
  readonly unclean: readonly Unclean[];
  /** The mark of whoever freed the lock by hand. */
  readonly freedBy: string | undefined;
}

const ENTRY: Codec<Entry> = record<Entry>({
  name: text,
  tag: text,
  bytes: wholeNumber,
  start: texts,
  isWhole: boolean,
});

const LOOSE: Codec<Loose> = record<Loose>({
  kind: (from, name) => (text(from, name) === "journal" ? "journal" : "bodies"),
  name: text,
  parts: wholeNumber,
  since: wholeNumber,
});

const UNCLEAN: Codec<Unclean> = record<Unclean>({ author: text, next: wholeNumber });

/** A head as an object keeps it. */
export const HEAD: Codec<Head> = record<Head>(
  {
    nonce: text,
    epoch: wholeNumber,
    isHeld: flag,
    holder: optional(holder()),
    renewals: wholeNumber,
    next: wholeNumber,
    serial: wholeNumber,
    entries: records(ENTRY),
    journal: nested(record<JournalName>({ name: text, segments: wholeNumber })),
    loose: records(LOOSE),
    unclean: records(UNCLEAN),
    freedBy: optionalText,
  },
  { format: "zoneform-head", version: VERSION },
);

function holder(): ((from: JsonObject, name: string) => LockHolder | undefined) & {
  readonly encode: typeof encodeHolder;
} {
  const codec = nested<LockHolder | undefined>({ decode: decodeHolder, encode: () => ({}) });
  return Object.assign((from: JsonObject, name: string) => codec(from, name), { encode: encodeHolder });
}

/** The head of a zone that nobody has used, as its first holder finds it. */
export function emptyHead(): Head {
  return {
    nonce: "",
    epoch: 0,
    isHeld: undefined,
    holder: undefined,
    renewals: 0,
    next: 0,
    serial: 0,
    entries: [],
    journal: { name: "0-0", segments: 0 },
    loose: [],
    unclean: [],
    freedBy: undefined,
  };
}

/**
 * What a head says of its zone to somebody who only reads. Who gave the lock back knew how many objects the journal has. The
 * holder of a lock looks for them all the same: somebody may have put back an earlier head.
 */
export function readView(head: Head): View {
  const isGivenBack = head.isHeld !== true && head.unclean.length === 0;
  return { ...viewOf(head), ...(isGivenBack && head.journal.segments === 0 ? { isJournalEmpty: true } : {}) };
}

/** What a head says of its zone. */
export function viewOf({ entries, journal, holder: by, serial }: Head): View {
  return { entries, journal: `${journal.name}/${journal.segments}`, taken: by && { holder: by, serial } };
}

/** The journal that a view names. */
export function journalOf({ journal }: View): JournalName {
  const end = journal.lastIndexOf("/");
  return { name: journal.slice(0, end), segments: Number(journal.slice(end + 1)) };
}

/** Objects that have the lines of an entry, one after the other; none if its start has them all. */
export interface Body {
  /** Never used again. */
  readonly name: string;
  readonly parts: number;
}

/** Where the lines of an entry are: its tag says it. */
export function bodyOf({ tag }: Pick<Entry, "tag">): Body {
  const end = tag.lastIndexOf("/");
  return { name: tag.slice(0, end), parts: Number(tag.slice(end + 1)) };
}

/**
 * Who holds the lock by this head, as its names say: no other holder ever has the same, even if an earlier version of the
 * head is put back and epochs repeat.
 */
export function authorOf({ epoch, holder: by }: Head): string {
  return `${epoch}-${by?.id ?? ""}`;
}

/** What is left behind by whoever holds the lock by this head. */
export function uncleanOf(head: Head): Unclean {
  return { author: authorOf(head), next: head.next };
}

/** The keys of a zone of a project, below the prefix of the store. */
export interface Keys {
  readonly head: string;
  /** What was seen of hostnames. */
  readonly seen: string;
  /** Made and deleted again to find out whether that is allowed. */
  readonly check: string;
  seenLines(name: string): string;
  part(body: string, number: number): string;
  segment(journal: string, number: number): string;
  /** An object of something that nothing points to. */
  loose(kind: Loose["kind"], name: string, number: number): string;
}

/** The keys of a zone. */
export function keysOf({ project, zone }: ZoneKey): Keys {
  const base = `${project}/${zone}`;
  const part = (body: string, number: number): string => `${base}/bodies/${body}/${number}`;
  const segment = (journal: string, number: number): string => `${base}/journal/${journal}/${number}`;
  return {
    head: `${base}/head`,
    seen: `${base}/seen`,
    check: `${base}/check`,
    seenLines: (name) => `${base}/seen-lines/${name}`,
    part,
    segment,
    loose: (kind, name, number) => (kind === "journal" ? segment(name, number) : part(name, number)),
  };
}

/**
 * The head after a change, with what it no longer names in the list of what is to be removed: `before` is what it was.
 * What nobody needs any more stays for a while, for those who are reading it.
 */
export function loosened(before: Head, after: Head, since: number): Head {
  const used = new Set(after.entries.map(({ tag }) => tag));
  const gone = new Map(
    before.entries.flatMap((entry): [string, Body][] => (used.has(entry.tag) ? [] : [[entry.tag, bodyOf(entry)]])),
  );
  const loose = [...gone.values()].map(({ name, parts }): Loose => ({ kind: "bodies", name, parts, since }));
  const { name, segments } = before.journal;
  if (name !== after.journal.name) loose.push({ kind: "journal", name, parts: segments, since });
  return { ...after, loose: [...after.loose, ...loose.filter(({ parts }) => parts > 0)] };
}

/** What of a list, oldest first, may be removed now: nobody reads it any more, or the list is too long. */
export function oldIn<T extends Pick<Loose, "since">>(loose: readonly T[], now: number): readonly T[] {
  return loose.filter(
    ({ since }, index) => now - since > REPLACED_STAYS_MILLISECONDS || loose.length - index > MOST_LOOSE,
  );
}

/** The keys of what may be removed now, of each thing the last part first. */
export function* removable(keys: Keys, loose: readonly Loose[], now: number): Iterable<string> {
  for (const each of oldIn(loose, now))
    for (let number = each.parts - 1; number >= 0; number -= 1) yield keys.loose(each.kind, each.name, number);
}

/** What is left of the list without these keys: a thing gets shorter from its end, and then leaves the list. */
export function withoutKeys(keys: Keys, loose: readonly Loose[], gone: ReadonlySet<string>): readonly Loose[] {
  return loose.flatMap((each) => {
    let { parts } = each;
    while (parts > 0 && gone.has(keys.loose(each.kind, each.name, parts - 1))) parts -= 1;
    return parts > 0 ? { ...each, parts } : [];
  });
}
