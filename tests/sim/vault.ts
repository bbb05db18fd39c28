import { createHash } from "node:crypto";
import { zoneId } from "../../lib/core/brand.ts";
import type { Random } from "../../lib/core/clock.ts";
import { type JsonObject, parseObject } from "../../lib/core/json.ts";
import { Secret } from "../../lib/core/secret.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { type Cipher, cipherOf, type KeyOf } from "../../lib/state/zone/sealing/cipher.ts";
import { decryptLine } from "../../lib/state/zone/sealing/lines.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Scenario } from "./scenario.ts";
import { PROJECT } from "./shelf.ts";
import { MAIN, NEXT } from "./zones.ts";

/** The passphrases of the states, one after the other. They are canaries too: they may occur nowhere. */
export const PASSPHRASES = ["canary-passphrase-of-spring", "canary-passphrase-of-autumn"] as const;

/** Nobody guesses these passphrases, and deriving a slow key would take real time in a seed. */
const quickKey = (passphrase: Secret): Uint8Array => createHash("sha256").update(passphrase.reveal()).digest();
const keyOf: KeyOf = async (passphrase) => quickKey(passphrase);
const CIPHERS: readonly Cipher[] = [MAIN, NEXT].flatMap(({ id }) =>
  PASSPHRASES.map((each) => cipherOf(quickKey(new Secret(each)), zoneId(id), randomOf(diceOf(0)), PROJECT)),
);

/** How the state of a seed is encrypted, and how the judges read it. */
export interface Vault {
  /** The session that begins, counted from 0. */
  enter(session: number): void;
  /** Whether what is written now is encrypted. */
  isSealing(): boolean;
  /** The states as a present process opens them. */
  over(stores: StateStores, random: Random): StateStores;
}

/** From one session on there is a passphrase, and from a later one on a new one. */
export function openVault({ sealing }: Pick<Scenario, "sealing">): Vault {
  let now = 0;
  const passphrases = (): readonly string[] => {
    if (!sealing || now < sealing.from) return [];
    return now < sealing.changed ? PASSPHRASES.slice(0, 1) : PASSPHRASES.toReversed();
  };
  return {
    enter: (session) => {
      now = session;
    },
    isSealing: () => passphrases().length > 0,
    over: (stores, random) => {
      const [passphrase, previous] = passphrases().map((each) => new Secret(each));
      if (!passphrase) return stores;
      return sealedStores(stores, {
        passphrase,
        ...(previous ? { previous } : {}),
        acceptsPlain: true,
        random,
        keyOf,
      });
    },
  };
}

/** The journal's line with this number, decrypted with any of the passphrases, or as it is if none opens it. */
export function journalLine(line: string, number: number): string {
  return decryptLine("journal", CIPHERS, number, line) ?? line;
}

/** The header of a state, decrypted; undefined if it is incomplete. */
export function stateHeader(line: string): JsonObject | undefined {
  return parseObject(decryptLine("state", CIPHERS, 1, line) ?? "");
}
