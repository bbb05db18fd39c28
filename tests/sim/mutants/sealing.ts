import type { Mutant } from "./mutant.ts";

/** Mistakes in how states are encrypted. */
export const SEALING: readonly Mutant[] = [
  {
    name: "old-passphrase-forgotten",
    why: "a change of the passphrase loses what was written before",
    file: "lib/state/zone/sealing/engine.ts",
    find: "[this.sealing.passphrase, this.sealing.previous].flatMap(",
    replace: "[this.sealing.passphrase].flatMap(",
  },
  {
    name: "plain-lines-refused",
    why: "a state that is to be encrypted from now on cannot be read, although that was allowed",
    file: "lib/state/zone/sealing/lines.ts",
    find: "ciphers.length > 0 && !acceptsPlain && isPlain(line)",
    replace: "ciphers.length > 0 && acceptsPlain && isPlain(line)",
  },
  {
    name: "journal-not-encrypted",
    why: "whoever gets the files can read what a run was about",
    file: "lib/state/zone/sealing/engine.ts",
    find: `      lines.map((line, index) => sealLine(cipher, "journal", before + index + 1, line, origin)),`,
    replace: `      lines.map((line, index) => (index < 0 ? sealLine(cipher, "journal", before + index + 1, line, origin) : line)),`,
  },
];
