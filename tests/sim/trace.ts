import { createHash } from "node:crypto";

/** Everything that happened, in order, as a hash; and as lines if somebody wants to read it. */
export interface Trace {
  note(what: string, detail: string): void;
  hash(): string;
  lines(): readonly string[];
}

/** Opens a trace. Lines are kept only on request: for a million seeds the hash is enough. */
export function openTrace(keepsLines: boolean, now: () => number): Trace {
  const hash = createHash("sha256");
  const lines: string[] = [];
  let pending = "";
  return {
    note: (what, detail) => {
      pending += `${now()} ${what} ${detail}\n`;
      if (keepsLines) lines.push(`${(now() / 1000).toFixed(3)} ${what} ${detail}`);
      if (pending.length < 16_384) return;
      hash.update(pending);
      pending = "";
    },
    hash: () => {
      hash.update(pending);
      pending = "";
      return hash.copy().digest("hex").slice(0, 16);
    },
    lines: () => lines,
  };
}
