import { SHORTEST_SECRET } from "./secret-forms.ts";

/** Finds many fixed texts in one pass. */
export interface FormMatcher {
  /** Adds a text to look for; it has at least `SHORTEST_SECRET` characters. */
  add(form: string): void;
  /**
   * Replaces every form in the text, the longest one if several begin at the same place. Unless this is the last chunk,
   * a possible beginning of a form at its end is not decided yet: that is the `rest`.
   */
  replace(text: string, replacement: string, isLast: boolean): { readonly done: string; readonly rest: string };
}

/** One mark for each hash of three characters. */
const MARKS = 2 ** 16;

/** The length of a form whose end has not come yet. */
const OPEN = -1;

/**
 * Opens a matcher. A certificate has a few hundred forms and a project may have a thousand certificates, so the time to
 * search a text must not grow with their number: the search skips places by their first three characters, and looks
 * them up by their first six.
 */
export function openMatcher(): FormMatcher {
  const byBeginning = new Map<string, string[]>();
  const shortBeginnings = new Set<string>();
  const marks = new Uint8Array(MARKS);

  /** The length of the form at a place: 0 for none, `OPEN` if only more text can tell. */
  const lengthAt = (text: string, at: number, isLast: boolean): number => {
    const left = text.length - at;
    if (left < SHORTEST_SECRET) return !isLast && shortBeginnings.has(text.slice(at)) ? OPEN : 0;
    if (marks[hashAt(text, at)] === 0) return 0;
    for (const form of byBeginning.get(text.slice(at, at + SHORTEST_SECRET)) ?? []) {
      if (form.length <= left && text.startsWith(form, at)) return form.length;
      if (form.length > left && !isLast && form.startsWith(text.slice(at))) return OPEN;
    }
    return cutLengthAt(text, at, byBeginning);
  };

  return {
    add: (form) => {
      const beginning = form.slice(0, SHORTEST_SECRET);
      const forms = [...(byBeginning.get(beginning) ?? []), form];
      byBeginning.set(
        beginning,
        forms.sort((left, right) => right.length - left.length),
      );
      for (let length = 1; length < SHORTEST_SECRET; length += 1) shortBeginnings.add(form.slice(0, length));
      marks[hashAt(form, 0)] = 1;
    },
    replace: (text, replacement, isLast) => {
      if (byBeginning.size === 0) return { done: text, rest: "" };
      const kept: string[] = [];
      let from = 0;
      for (let at = 0; at < text.length; at += 1) {
        const length = lengthAt(text, at, isLast);
        if (length === 0) continue;
        kept.push(text.slice(from, at));
        if (length === OPEN) return { done: kept.join(""), rest: text.slice(at) };
        kept.push(replacement);
        from = at + length;
        at = from - 1;
      }
      return { done: kept.join("") + text.slice(from), rest: "" };
    },
  };
}

/** Marks where a long text was cut. The cut may have split a secret, and its beginning gives enough away. */
const CUT = "…";

/** How much of a form is at a place if the text was cut there. */
function cutLengthAt(text: string, at: number, byBeginning: ReadonlyMap<string, readonly string[]>): number {
  const forms = byBeginning.get(text.slice(at, at + SHORTEST_SECRET)) ?? [];
  const end = forms.length === 0 ? -1 : text.indexOf(CUT, at);
  return end >= 0 && forms.some((form) => form.startsWith(text.slice(at, end))) ? end - at : 0;
}

function hashAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % MARKS;
}
