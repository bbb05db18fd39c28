import { error, problem, Refusal } from "../core/diagnostic.ts";
import { Secret } from "../core/secret.ts";
import type { Sealing } from "../state/zone/sealing/engine.ts";
import type { World } from "../engine/world.ts";

/** The variable with the passphrase that encrypts states. */
export const PASSPHRASE = "ZONEFORM_STATE_PASSPHRASE";

/** The variable with the previous passphrase: it decrypts, and never encrypts. */
export const PREVIOUS_PASSPHRASE = "ZONEFORM_STATE_PASSPHRASE_PREVIOUS";

/** The value `accept` allows reading an unencrypted state although a passphrase is set. */
const PLAIN = "ZONEFORM_STATE_PLAIN";

/** The same limit as OpenTofu's: a shorter passphrase can be found by trying all. */
const SHORTEST = 16;

/**
 * Reads from the environment how to encrypt states. Throws `Refusal` for a passphrase that is too short, and for a
 * previous passphrase without a new one.
 */
export function sealingOf(env: World["env"]): Omit<Sealing, "project" | "random" | "keyOf"> {
  const [passphrase, previous] = [env[PASSPHRASE] ?? "", env[PREVIOUS_PASSPHRASE] ?? ""];
  const faults = [
    ...[PASSPHRASE, PREVIOUS_PASSPHRASE].filter((name) => isShort(env[name] ?? "")).map(short),
    ...(previous !== "" && passphrase === "" ? [replacesNone()] : []),
  ];
  if (faults.length > 0) throw new Refusal(faults);
  return {
    ...(passphrase === "" ? {} : { passphrase: new Secret(passphrase) }),
    ...(previous === "" ? {} : { previous: new Secret(previous) }),
    acceptsPlain: env[PLAIN] === "accept",
  };
}

function isShort(passphrase: string): boolean {
  return passphrase !== "" && passphrase.length < SHORTEST;
}

function short(name: string): ReturnType<typeof error> {
  return error(problem("passphrase-too-short", { variable: name, least: SHORTEST }));
}

function replacesNone(): ReturnType<typeof error> {
  const message = `${PREVIOUS_PASSPHRASE} is set, and ${PASSPHRASE} is not`;
  const remedy = `set ${PASSPHRASE} to the one that is written with from now on`;
  return error({ code: "passphrase-missing", message, remedy });
}
