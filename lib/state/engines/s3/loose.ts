import { REPLACED_STAYS_MILLISECONDS } from "../../replaced.ts";
import { type Body, bodyOf } from "./bodies.ts";
import type { Head, Keys, Loose } from "./head.ts";

/** More than this is removed earlier: the list is part of an object that is written often, so it has to stay small. */
const MOST_LOOSE = 200;

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
