/** Finds parts of secrets that were cut: by a service that repeats the middle of a key, or by a log with short lines. */
export interface Fragments {
  /** Adds a text whose parts to look for; it has no line ends. */
  add(body: string): void;
  /**
   * Replaces every part of at least `SHORTEST_FRAGMENT` characters, even across line ends. Unless this is the last
   * chunk, a possible beginning of a part at the end of the last line is not decided yet: that is the `rest`.
   */
  replace(text: string, replacement: string, isLast: boolean): { readonly done: string; readonly rest: string };
}

/**
 * This few characters reveal nothing about a secret. Together with the characters that a cut chunk may leave, twelve in
 * a row never stay.
 */
const SHORTEST_FRAGMENT = 10;
/** Parts are found by this many characters in a row: half a fragment, because a line end may be in its middle. */
const ANCHOR = 5;
/** From this length on, a possible part at the end of a chunk is held back. */
const SHORTEST_HELD = 3;
/** A separator between two bodies that no text contains. */
const BETWEEN = "\uffff";
/** Enough for the anchors of a thousand certificates without long chains. */
const BUCKETS = 2 ** 20;

/** A text without line ends and escapes, with the original position of each character. */
interface Plain {
  readonly characters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Opens the search for parts. The secrets are indexed, so the time for a text does not grow with their number. A part that
 * `isOwn` stays.
 */
export function openFragments(isOwn: (part: string) => boolean): Fragments {
  let bodies = BETWEEN;
  /** The first place of each anchor, from 1, and for each place the next one in the same bucket; 0 for none. */
  let first: Int32Array | undefined;
  const next: number[] = [0];

  const candidates = function* (text: string, at: number): Generator<number> {
    for (let place = first?.[bucketOf(text, at)] ?? 0; place !== 0; place = next[place] ?? 0) {
      if (bodies.startsWith(text.slice(at, at + ANCHOR), place)) yield place;
    }
  };

  /** Whether the text can contain any part. It runs on every text that leaves the process, so it uses a rolling hash. */
  const hasAnchor = (text: string): boolean => {
    if (first === undefined || text.length < ANCHOR) return false;
    let hash = hashOf(text, 0);
    for (let at = 0; ; at += 1) {
      if (first[spread(hash)] !== 0 && !candidates(text, at).next().done) return true;
      if (at + ANCHOR >= text.length) return false;
      hash = Math.imul(hash - Math.imul(text.charCodeAt(at), LEAVING), BASE) + text.charCodeAt(at + ANCHOR);
    }
  };

  /** The longest part around an anchor, as start and end in the plain text; undefined if it is too short. */
  const partAt = (text: string, at: number): readonly [number, number] | undefined => {
    let longest: readonly [number, number] | undefined;
    for (const place of candidates(text, at)) {
      let [from, to] = [0, ANCHOR];
      while (at + from > 0 && bodies[place + from - 1] === text[at + from - 1]) from -= 1;
      while (at + to < text.length && bodies[place + to] === text[at + to]) to += 1;
      const isLonger = to - from >= SHORTEST_FRAGMENT && to - from > (longest ? longest[1] - longest[0] : 0);
      if (isLonger && !isOwn(text.slice(at + from, at + to))) longest = [at + from, at + to];
    }
    return longest;
  };

  /** Where to start holding back the end of a text. */
  const heldFrom = (text: string): number => {
    const last = text.slice(-SHORTEST_HELD);
    if (last.length < SHORTEST_HELD || last.endsWith("\n") || !bodies.includes(last)) return text.length;
    for (let length = SHORTEST_FRAGMENT - 1; length > SHORTEST_HELD; length -= 1) {
      const end = text.slice(-length);
      if (end.length === length && bodies.includes(end)) return text.length - length;
    }
    return text.length - SHORTEST_HELD;
  };

  return {
    add: (body) => {
      if (body.length < SHORTEST_FRAGMENT) return;
      first ??= new Int32Array(BUCKETS);
      const base = bodies.length;
      bodies += body + BETWEEN;
      let last = -1;
      for (let at = 0; at < body.length; at += 1) {
        const bucket = at + ANCHOR <= body.length ? bucketOf(body, at) : -1;
        // If one character is repeated, its first place is enough.
        if (bucket >= 0 && bucket !== last) {
          next[base + at] = first[bucket] ?? 0;
          first[bucket] = base + at;
        } else next[base + at] = 0;
        last = bucket;
      }
      next[bodies.length - 1] = 0;
    },
    replace: (text, replacement, isLast) => {
      if (first === undefined) return { done: text, rest: "" };
      const parts = hasAnchor(text) ? partsOf(plainOf(text), partAt) : [];
      const kept: string[] = [];
      let from = 0;
      for (const [start, end] of parts) {
        // A part that reaches the end may continue in the next chunk.
        if (end === text.length && !isLast)
          return { done: kept.join("") + text.slice(from, start), rest: text.slice(start) };
        kept.push(text.slice(from, start), replacement);
        from = end;
      }
      const left = text.slice(from);
      const held = isLast ? left.length : heldFrom(left);
      return { done: kept.join("") + left.slice(0, held), rest: left.slice(held) };
    },
  };
}

/** The places of all parts in the original text, in order and without overlaps. */
function partsOf(
  { characters, starts, ends }: Plain,
  partAt: (text: string, at: number) => readonly [number, number] | undefined,
): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let done = 0;
  for (let at = 0; at + ANCHOR <= characters.length; at += 1) {
    const part = partAt(characters, at);
    if (part === undefined || part[1] <= done) continue;
    const start = starts[Math.max(part[0], done)] ?? 0;
    found.push([start, ends[part[1] - 1] ?? start]);
    done = part[1];
    at = Math.max(at, done - ANCHOR);
  }
  return found;
}

/**
 * A line end with the blanks around it, plain, escaped in JSON or encoded for a URL; or a character written in one of
 * these ways.
 */
const ESCAPED =
  /[ \t]{0,8}(?:[\r\n]|\\{1,8}[rn]|\\{1,8}u000[ad]|%0[ad])[ \t]{0,8}|\\{1,8}u00([0-9a-f]{2})|\\{1,8}(.)|%([2-7][0-9a-f])/giy;

function plainOf(text: string): Plain {
  const [characters, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (let at = 0; at < text.length;) {
    ESCAPED.lastIndex = at;
    const found = ESCAPED.exec(text);
    const [whole = text.charAt(at), byCode, byItself, byUrl] = found ?? [];
    const code = byCode ?? byUrl;
    const character = found === null ? whole : code === undefined ? byItself : String.fromCharCode(parseInt(code, 16));
    if (character !== undefined) {
      characters.push(character);
      starts.push(at);
      ends.push(at + whole.length);
    }
    at += whole.length;
  }
  return { characters: characters.join(""), starts, ends };
}

const BASE = 31;
/** The weight of an anchor's first character in its hash. */
const LEAVING = BASE ** (ANCHOR - 1);

function bucketOf(text: string, at: number): number {
  return spread(hashOf(text, at));
}

function hashOf(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + ANCHOR; index += 1) hash = Math.imul(hash, BASE) + text.charCodeAt(index);
  return hash | 0;
}

function spread(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> 12) & (BUCKETS - 1);
}
