import { type Body, type Head, type Keys, type Loose } from "./head.ts";

/** How long what was replaced stays, for those who are reading it. */
const REPLACED_STAYS_MILLISECONDS = 60 * 60_000;

/** More than this is removed earlier: the head is written often, so it has to stay small. */
const MOST_LOOSE = 200;

/** How many objects are removed at once: whoever writes waits for it. */
const MOST_REMOVED = 200;

/**
 * The head after a change, with what it no longer points to in the list of what is to be removed: `before` is what it
 * was. What nobody needs any more stays for a while, for those who are reading it.
 */
export function loosened(before: Head, after: Head, since: number): Head {
  const used = new Set(bodiesIn(after).map(({ name }) => name));
  const bodies = new Map(bodiesIn(before).map((body) => [body.name, body]));
  const gone = [...bodies.values()].filter(({ name }) => !used.has(name));
  const loose: Loose[] = gone.map(({ name, parts }) => ({ kind: "bodies", name, parts, since }));
  const { name, segments } = before.journal;
  if (name !== after.journal.name) loose.push({ kind: "journal", name, parts: segments, since });
  return { ...after, loose: [...after.loose, ...loose.filter(({ parts }) => parts > 0)] };
}

function bodiesIn({ snapshot, backups, records, copies }: Head): readonly Body[] {
  return [...(snapshot ? [snapshot] : []), ...backups, ...[...records, ...copies].map(({ body }) => body)];
}

/** What of the list may be removed now, and what of the same names is left for the next time. */
export function removable(
  loose: readonly Loose[],
  now: number,
): { readonly gone: readonly LoosePart[]; readonly left: readonly Loose[] } {
  const old = loose.filter(
    ({ since }, index) => now - since > REPLACED_STAYS_MILLISECONDS || loose.length - index > MOST_LOOSE,
  );
  const gone: LoosePart[] = [];
  const left: Loose[] = [];
  let room = MOST_REMOVED;
  for (const each of old) {
    const from = Math.max(0, each.parts - room);
    if (room > 0) gone.push({ ...each, from });
    if (room > 0 && from > 0) left.push({ ...each, parts: from });
    room -= each.parts - from;
  }
  return { gone, left };
}

/** The parts of something loose from a number on. */
export interface LoosePart extends Loose {
  readonly from: number;
}

/** The keys of what is to be removed. */
export function keysOfLoose(keys: Keys, { kind, name, parts, from }: LoosePart): readonly string[] {
  return Array.from({ length: parts - from }, (_none, index) =>
    kind === "journal" ? keys.segment(name, from + index) : keys.part(name, from + index),
  );
}
