import type { StateStores } from "../../lib/state/stores.ts";

/** Shared texts that live as long as the test. */
export function memoryShared(now: () => number = Date.now): StateStores["shared"] {
  const versions = new Map<string, readonly string[]>();
  return (name) => ({
    get: async () => {
      const found = versions.get(name) ?? [];
      return { text: found.at(-1), tag: found.length === 0 ? undefined : String(found.length), now: now() };
    },
    replace: async (tag, text) => {
      const found = versions.get(name) ?? [];
      const isSame = Number(tag ?? 0) === found.length;
      if (isSame) versions.set(name, [...found, text]);
      return isSame;
    },
  });
}
