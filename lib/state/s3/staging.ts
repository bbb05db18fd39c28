import { stageBody } from "./bodies.ts";
import type { Body, Keys, Loose } from "./head.ts";
import type { HeldHead } from "./held-head.ts";
import { bodiesIn } from "./loose.ts";

/** Bodies that a holder of a lock stored before the head points to them. */
export interface Staging {
  /** Stores lines to which nothing points yet. Throws as `HeldHead` does. */
  stage(lines: AsyncIterable<string>): Promise<Body>;
  /** The head was changed: what it points to is no longer this one's matter. */
  settle(): void;
  /** What the head never pointed to. Nobody reads it, so it may be removed at once. */
  unused(): readonly Loose[];
}

/** Stores bodies for a head. */
export function staging(keys: Keys, held: HeldHead): Staging {
  /** How many parts were stored of each. */
  const staged = new Map<string, number>();
  return {
    stage: async (lines) => {
      await held.checkTrusted();
      const name = held.newName();
      return stageBody(name, lines, async (number, bytes) => {
        staged.set(name, number + 1);
        await held.createNew(keys.part(name, number), bytes);
      });
    },
    settle: () => {
      for (const { name } of bodiesIn(held.head())) staged.delete(name);
    },
    unused: () => [...staged].map(([name, parts]): Loose => ({ kind: "bodies", name, parts, since: 0 })),
  };
}
