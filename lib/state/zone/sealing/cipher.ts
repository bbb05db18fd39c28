import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import type { ZoneId } from "../../../core/brand.ts";
import type { Random } from "../../../core/clock.ts";
import { record } from "../../../core/codec.ts";
import { text } from "../../../core/decode.ts";
import type { Secret } from "../../../core/secret.ts";
import type { Engine } from "../../engine.ts";
import { type Contender, sharedValue, VERSION } from "../shared-value.ts";

/** OpenTofu's default for deriving keys; a fifth of a second or more, once for each place of a run. */
const ITERATIONS = 600_000;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

const derive = promisify(pbkdf2);

/** Seals and opens lines. A line belongs to its place: after it is moved, or copied into another file, it does not open. */
export interface Cipher {
  /** `place` names the file's part and the number of the line. */
  seal(place: string, text: string): string;
  /** The text; undefined if the line was not sealed for this place with this passphrase, or was changed. */
  open(place: string, line: string): string | undefined;
}

/**
 * The key of a passphrase where states are kept. Whoever wants to open something gets undefined where nothing was sealed
 * yet.
 */
export type KeyOf = (passphrase: Secret, isSealing: boolean) => Promise<Uint8Array | undefined>;

/** Derives a key from a passphrase and the salt of a place. */
export type Derive = (passphrase: Secret, salt: string) => Promise<Uint8Array>;

/** By PBKDF2 (SHA-512), which is slow enough that trying passphrases is not worth it. */
export const deriveKey: Derive = (passphrase, salt) =>
  derive(passphrase.reveal(), `zoneform-state/1 ${salt}`, ITERATIONS, KEY_BYTES, "sha512");

/** The same, but derives each key only once in a process. */
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
 * A cipher for a zone's states in a project, from the key of the place. Each line has a key of its own, derived from the
 * zone's and 16 fresh bytes, so that no two lines ever share key and nonce. A line is also bound to zone and project.
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

  function open(place: string, line: string): string | undefined {
    const bytes = Buffer.from(line, "base64");
    if (bytes.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
    // Base64 has bits that decode to nothing: a line that differs in one of them was changed.
    if (bytes.toString("base64") !== line) return undefined;
    const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, lineKey(bytes.subarray(0, SALT_BYTES)), nonce);
    decipher.setAAD(boundTo(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const opened = decipher.update(bytes.subarray(SALT_BYTES + NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }

  return { seal, open };
}

/** Opens nothing: where there is no key yet, no line is ours. */
export const NO_CIPHER: Cipher = {
  seal: () => {
    throw new Error("nothing is sealed without a key");
  },
  open: () => undefined,
};

const PLACE_SALT_BYTES = 32;

/**
 * The key of a passphrase at a place: one derivation for all zones and projects there. The place has a random salt, which
 * is made before the first line is sealed; where there is none yet, nothing was sealed that a reader could open.
 */
export function placeKeys(place: Pick<Engine, "shared" | "describe">, derive: Derive, world: Contender): KeyOf {
  const what = `the salt of the encryption at ${place.describe()}`;
  const stored = sharedValue<{ readonly salt: string }>(
    place.shared("salt"),
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
