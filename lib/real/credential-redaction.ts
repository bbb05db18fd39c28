import { openRedaction, type Redaction } from "../core/redaction.ts";
import { Secret } from "../core/secret.ts";
import type { Http } from "../service/http.ts";
import { PASSPHRASE, PREVIOUS_PASSPHRASE } from "./sealing.ts";

/** The variables that hold credentials, whether a command uses them or not. */
const CREDENTIALS = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "ZONEFORM_EMULATOR_TOKEN"];

/** What the emulator starts with stands in the docs, and the emulator prints it for people to paste: no secret. */
const PUBLIC_TOKENS: readonly string[] = ["emulator-token", "emulator-read-token"];

/** The e-mail that belongs to a key says who calls and opens nothing: it may stand in a description or a report. */
const EMAIL = "CLOUDFLARE_EMAIL";

/** A redaction that knows the credentials of the environment from the start, also those that will be refused. */
export function redactionOf(env: Readonly<Record<string, string | undefined>>): Redaction {
  const redaction = openRedaction();
  const email = env[EMAIL] ?? "";
  // What is no address there was put under the wrong name, and may well be the key.
  const misplaced = email.includes("@") ? [] : [email];
  for (const value of [...CREDENTIALS.flatMap((name) => env[name] ?? []), ...misplaced]) {
    // A header that was copied whole (`Bearer …`) holds the token behind a space.
    const parts = [value, ...value.split(/\s+/)].filter((part) => !PUBLIC_TOKENS.includes(part));
    for (const part of parts) redaction.learn(new Secret(part));
  }
  // Of a passphrase each word by itself is a word like any other.
  for (const value of [PASSPHRASE, PREVIOUS_PASSPHRASE].flatMap((name) => env[name] ?? []))
    redaction.learn(new Secret(value));
  return redaction;
}

/**
 * Takes the credentials out of refusals before anybody reads them: their texts end up in errors and reports, and a service or a
 * proxy may repeat what it was sent. Answers of calls that worked stay as they are.
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
