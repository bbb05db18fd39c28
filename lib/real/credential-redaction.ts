import { isPlainWord, openRedaction, type Redaction } from "../core/redaction.ts";
import { Secret } from "../core/secret.ts";
import type { Http } from "../service/http.ts";
import { NOTIFY_SECRET, NOTIFY_URL, secretsInWebhook } from "../core/webhook-address.ts";
import { PASSPHRASE, PREVIOUS_PASSPHRASE } from "./sealing.ts";
import { secretsIn, STATE_ADDRESS } from "./state-address.ts";

/** The variables that hold credentials, whether a command uses them or not. */
const CREDENTIALS = [
  "CLOUDFLARE_API_TOKEN",
  "CLOUDFLARE_API_KEY",
  "ZONEFORM_EMULATOR_TOKEN",
  "PGPASSWORD",
  "TF_HTTP_PASSWORD",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
];

/** The variables with secrets that may have spaces in them. */
const WHOLE = [PASSPHRASE, PREVIOUS_PASSPHRASE, NOTIFY_SECRET];

/**
 * The emulator's default credentials are no secrets: the docs name them, and the emulator prints them for users to
 * paste.
 */
const PUBLIC_TOKENS: readonly string[] = ["emulator-token", "emulator-read-token"];

/** The e-mail that belongs to a key identifies the caller and gives no access: descriptions and reports may contain it. */
const EMAIL = "CLOUDFLARE_EMAIL";

/** Opens a redaction that knows the environment's credentials from the start, even those that will be refused. */
export function redactionOf(env: Readonly<Record<string, string | undefined>>): Redaction {
  const redaction = openRedaction();
  const email = env[EMAIL] ?? "";
  // If the value is not an e-mail address, the wrong variable was set, and it may well be the key.
  const misplaced = email.includes("@") ? [] : [email];
  for (const value of [...CREDENTIALS.flatMap((name) => env[name] ?? []), ...misplaced]) {
    // A header that was copied whole (`Bearer …`) has the token after a space.
    const parts = [value, ...value.split(/\s+/)].filter((part) => !PUBLIC_TOKENS.includes(part));
    for (const part of parts) redaction.learn(new Secret(part));
  }
  for (const secret of [...secretsIn(env[STATE_ADDRESS] ?? ""), ...secretsInWebhook(env[NOTIFY_URL] ?? "")])
    redaction.learn(secret);
  // A single word of a passphrase is an ordinary word, so only the whole passphrase is hidden.
  for (const value of WHOLE.flatMap((name) => env[name] ?? [])) redaction.learn(new Secret(value));
  return redaction;
}

/** The variables whose passwords, tokens or keys are not hidden, because they are plain words. */
export function visibleCredentials(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isVisible = (text: string): boolean => isPlainWord(text) && !PUBLIC_TOKENS.includes(text);
  const names = [...CREDENTIALS, ...WHOLE].filter((name) => isVisible(env[name] ?? ""));
  const inAddress = secretsIn(env[STATE_ADDRESS] ?? "").some((secret) => isVisible(secret.reveal()));
  return inAddress ? [...names, STATE_ADDRESS] : names;
}

/**
 * Removes the credentials from refusals before they are read: their texts end up in errors and reports, and a service
 * or a proxy may repeat what it was sent. Successful responses stay as they are.
 */
export function redactRefusals(http: Http, { redact }: Pick<Redaction, "redact">): Http {
  return {
    send: async (request, signal) => {
      const response = await http.send(request, signal);
      const isRefusal = response.status >= 300 || /"success"\s*:\s*false/.test(response.body);
      return isRefusal ? { ...response, body: redact(response.body) } : response;
    },
  };
}
