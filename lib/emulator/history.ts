import type { JsonObject } from "./json.ts";

/** How the objects of a list looked before the last writes, so that the list can be made to lag behind. */
export interface History {
  /** Remembers how an object looked before a write; undefined when it did not exist. */
  remember(id: string, before: JsonObject | undefined): void;
  /** How objects looked before the last `writes` writes, by id. */
  before(writes: number): Map<string, JsonObject | undefined>;
}

/** How many writes a list can be made to lag behind. */
const REMEMBERED = 1000;

/** A history without any write. */
export function createHistory(): History {
  let past: { readonly id: string; readonly before: JsonObject | undefined }[] = [];
  return {
    remember: (id, before) => {
      past.push({ id, before });
      if (past.length > 2 * REMEMBERED) past = past.slice(-REMEMBERED);
    },
    before: (writes) => {
      // From the newest to the oldest, so that the oldest state wins.
      const looks = new Map<string, JsonObject | undefined>();
      const recent = writes > 0 ? past.slice(-writes) : [];
      for (const { id, before } of recent.reverse()) looks.set(id, before);
      return looks;
    },
  };
}
