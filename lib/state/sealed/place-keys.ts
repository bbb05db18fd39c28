import { record } from "../../core/codec.ts";
import type { Clock, Random } from "../../core/clock.ts";
import { text } from "../../core/decode.ts";
import { sharedValue, VERSION } from "../shared-value.ts";
import type { StateStores } from "../stores.ts";
import type { Derive, KeyOf } from "./cipher.ts";

const SALT_BYTES = 32;

/**
 * The key of a passphrase at a place: one derivation for all zones and projects there. The place has a random salt, which
 * is made before the first line is sealed; where there is none yet, nothing was sealed that a reader could open.
 */
export function placeKeys(
  stores: StateStores,
  derive: Derive,
  world: { readonly clock: Clock; readonly random: Random },
): KeyOf {
  const what = `the salt of the encryption at ${stores.describe()}`;
  const stored = sharedValue<{ readonly salt: string }>(
    stores.shared("salt"),
    {
      codec: record<{ readonly salt: string }>({ salt: text }, { format: "zoneform-salt", version: VERSION }),
      empty: { salt: "" },
      what,
      damage: {
        code: "state-damaged",
        message: `${what} is damaged, and without it no state there can be decrypted`,
        remedy: "restore it from a backup of the place",
      },
    },
    world,
  );
  let known = "";

  /** Of several that seal for the first time at once, one makes it, and all use that one. */
  async function make(): Promise<string> {
    const fresh = Buffer.from(world.random.bytes(SALT_BYTES)).toString("hex");
    let salt = fresh;
    await stored.update((found) => {
      salt = found.salt === "" ? fresh : found.salt;
      return found.salt === "" ? { salt } : undefined;
    });
    return salt;
  }

  return async (passphrase, isSealing) => {
    known ||= (await stored.read()).salt;
    if (isSealing) known ||= await make();
    return known === "" ? undefined : derive(passphrase, known);
  };
}
