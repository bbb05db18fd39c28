import type { Mutant } from "./mutant.ts";

/** Mistakes in how states are encrypted. */
export const SEALING: readonly Mutant[] = [
  {
    name: "old-passphrase-forgotten",
    why: "a change of the passphrase loses what was written before",
    file: "lib/state/sealed/store.ts",
    find: "[passphrase, previous].flatMap(",
    replace: "[passphrase].flatMap(",
  },
  {
    name: "plain-lines-refused",
    why: "a state that is to be encrypted from now on cannot be read, although that was allowed",
    file: "lib/state/sealed/lines.ts",
    find: "ciphers.length > 0 && !acceptsPlain && isPlain(line)",
    replace: "ciphers.length > 0 && acceptsPlain && isPlain(line)",
  },
  {
    name: "journal-not-encrypted",
    why: "whoever gets the files can read what a run was about",
    file: "lib/state/sealed/store.ts",
    find: "    await store.append(zone, lease, sealed);",
    replace: "    await store.append(zone, lease, sealed.length > 0 ? lines : sealed);",
  },
];
