import type { JsonObject } from "./json.ts";

/** How the objects of a list looked before the last writes, so that a fault can show the list as it was. */
export interface History {
  /** Remembers how an object looked before a write; undefined when it did not exist. */
  remember(id: string, before: JsonObject | undefined): void;
  /** How objects looked before the last `writes` writes, by id. */
  before(writes: number): Map<string, JsonObject | undefined>;
}

/** How many writes a history remembers at least. */
const REMEMBERED = 1000;

/** Creates a history without writes. */
export function createHistory(): History {
  let past: { readonly id: string; readonly before: JsonObject | undefined }[] = [];
  return {
    remember: (id, before) => {
      past.push({ id, before });
      if (past.length > 2 * REMEMBERED) past = past.slice(-REMEMBERED);
    },
    before: (writes) => {
      // From the newest write to the oldest, so that the oldest look wins.
      const looks = new Map<string, JsonObject | undefined>();
      const recent = writes > 0 ? past.slice(-writes) : [];
      for (const { id, before } of recent.reverse()) looks.set(id, before);
      return looks;
    },
  };
}
