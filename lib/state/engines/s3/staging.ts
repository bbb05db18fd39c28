import type { Entry } from "../../engine.ts";
import { bodyOf, stageBody } from "./bodies.ts";
import type { Keys, Loose } from "./head.ts";
import type { HeldHead } from "./held-head.ts";

/** Entries that a holder of a lock stored before the head names them. */
export interface Staging {
  /** Stores lines, which nothing names yet. Throws as `HeldHead` does. */
  stage(name: string, lines: AsyncIterable<string>): Promise<Entry>;
  /** The head was changed: what it names is no longer this one's matter. */
  settle(): void;
  /** What the head never named. Nobody reads it, so it may be removed at once. */
  unused(): readonly Loose[];
}

/** Stores entries for a head. */
export function staging(keys: Keys, held: HeldHead): Staging {
  /** How many parts were stored of each body. */
  const staged = new Map<string, number>();
  return {
    stage: async (name, lines) => {
      await held.checkTrusted();
      const body = held.newName();
      return stageBody(name, body, lines, async (number, bytes) => {
        staged.set(body, number + 1);
        await held.createNew(keys.part(body, number), bytes);
      });
    },
    settle: () => {
      for (const entry of held.head().entries) staged.delete(bodyOf(entry).name);
    },
    unused: () => [...staged].map(([name, parts]): Loose => ({ kind: "bodies", name, parts, since: 0 })),
  };
}
