import { error, Refusal } from "../core/diagnostic.ts";
import { Secret } from "../core/secret.ts";
import type { Sealing } from "../state/sealed/store.ts";
import type { World } from "../engine/world.ts";

/** The variable that holds what states are encrypted with. */
export const PASSPHRASE = "ZONEFORM_STATE_PASSPHRASE";

/** What they were encrypted with before: read, and written no more. */
export const PREVIOUS_PASSPHRASE = "ZONEFORM_STATE_PASSPHRASE_PREVIOUS";

/** `accept` lets a state that is not encrypted be read where a passphrase is set. */
const PLAIN = "ZONEFORM_STATE_PLAIN";

/** As OpenTofu asks for: what is shorter can be tried out. */
const SHORTEST = 16;

/** How the environment wants states to be encrypted. Throws `Refusal` for a passphrase that is too short, and for one that replaces none. */
export function sealingOf(env: World["env"]): Omit<Sealing, "random" | "keyOf"> {
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
  return error({
    code: "passphrase-too-short",
    message: `${name} has fewer than ${SHORTEST} characters, so that it could be tried out`,
    remedy: "use a long random one: openssl rand -base64 32",
  });
}

function replacesNone(): ReturnType<typeof error> {
  return error({
    code: "passphrase-missing",
    message: `${PREVIOUS_PASSPHRASE} is set, and ${PASSPHRASE} is not`,
    remedy: `set ${PASSPHRASE} to the one that is written with from now on`,
  });
}
