import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import type { ZoneId } from "../../../core/brand.ts";
import type { Random } from "../../../core/clock.ts";
import { struct } from "../../../core/codec.ts";
import { text } from "../../../core/decode.ts";
import type { Secret } from "../../../core/secret.ts";
import type { Engine } from "../../engine.ts";
import { type Contender, sharedValue, VERSION } from "../shared-value.ts";

/** OpenTofu's default for deriving keys: a fifth of a second or more, once for each place in a run. */
const ITERATIONS = 600_000;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

const derive = promisify(pbkdf2);

/**
 * Encrypts and decrypts lines. A line is bound to its place: moved, or copied into another file, it cannot be
 * decrypted.
 */
export interface Cipher {
  /** `place` names the file's part and the number of the line. */
  seal(place: string, text: string): string;
  /** The text; undefined if the line was not encrypted for this place with this passphrase, or was changed. */
  decrypt(place: string, line: string): string | undefined;
}

/**
 * Derives the key of a passphrase for a place of states. A reader gets undefined if nothing was encrypted there yet.
 */
export type KeyOf = (passphrase: Secret, isSealing: boolean) => Promise<Uint8Array | undefined>;

/** Derives a key from a passphrase and the salt of a place. */
export type Derive = (passphrase: Secret, salt: string) => Promise<Uint8Array>;

/** By PBKDF2 (SHA-512), which is slow enough that trying passphrases is not worth it. */
export const deriveKey: Derive = (passphrase, salt) =>
  derive(passphrase.reveal(), `zoneform-state/1 ${salt}`, ITERATIONS, KEY_BYTES, "sha512");

/** The same, but derives each key only once per process. */
export function rememberKeys(slow: Derive): Derive {
  const keys = new Map<string, Promise<Uint8Array>>();
  return (passphrase, salt) => {
    const name = `${salt} ${createHash("sha256").update(passphrase.reveal()).digest("hex")}`;
    const key = keys.get(name) ?? slow(passphrase, salt);
    keys.set(name, key);
    return key;
  };
}

/**
 * A cipher for a zone's states in a project, from the key of the place. Each line has its own key, derived from the
 * zone's key and 16 fresh bytes, so no two lines ever share key and nonce. A line is also bound to zone and project.
 */
export function cipherOf(key: Uint8Array, zone: ZoneId, random: Random, project: string): Cipher {
  const zoneKey = Buffer.from(hkdfSync("sha256", key, "", `${JSON.stringify(project)} ${zone}`, KEY_BYTES));
  const lineKey = (salt: Uint8Array): Buffer => createHmac("sha256", zoneKey).update(salt).digest();
  const boundTo = (place: string): Buffer => Buffer.from(`${JSON.stringify(project)} ${zone} ${place}`);

  function seal(place: string, text: string): string {
    const [salt, nonce] = [random.bytes(SALT_BYTES), random.bytes(NONCE_BYTES)];
    const cipher = createCipheriv(ALGORITHM, lineKey(salt), nonce).setAAD(boundTo(place));
    const sealed = [salt, nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64");
  }

  function decrypt(place: string, line: string): string | undefined {
    const bytes = Buffer.from(line, "base64");
    if (bytes.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
    // Base64 has bits that decode to nothing: a line that differs only in them was changed.
    if (bytes.toString("base64") !== line) return undefined;
    const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, lineKey(bytes.subarray(0, SALT_BYTES)), nonce);
    decipher.setAAD(boundTo(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const decrypted = decipher.update(bytes.subarray(SALT_BYTES + NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([decrypted, decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }

  return { seal, decrypt };
}

/** Decrypts nothing: without a key, no line is ours. */
export const NO_CIPHER: Cipher = {
  seal: () => {
    throw new Error("nothing is sealed without a key");
  },
  decrypt: () => undefined,
};

const PLACE_SALT_BYTES = 32;

/**
 * The key of a passphrase at a place, derived once for all zones and projects there. The place has a random salt, made
 * before the first line is encrypted. Without a salt, there is nothing that a reader could decrypt.
 */
export function placeKeys(place: Pick<Engine, "shared" | "describe">, derive: Derive, world: Contender): KeyOf {
  const what = `the salt of the encryption at ${place.describe()}`;
  const stored = sharedValue<{ readonly salt: string }>(
    place.shared("salt"),
    {
      codec: struct<{ readonly salt: string }>({ salt: text }, { format: "zoneform-salt", version: VERSION }),
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

  /** If several processes encrypt for the first time at once, one makes the salt, and all use it. */
  async function make(): Promise<string> {
    const fresh = Buffer.from(world.random.bytes(PLACE_SALT_BYTES)).toString("hex");
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
