import { type Diagnostic, error, problem, type Result, result } from "../core/diagnostic.ts";
import { SHORTEST_SECRET } from "../core/redaction.ts";
import { Secret } from "../core/secret.ts";

/** What authorises a call: one of two schemes, never both (docs/service.md#credentials). */
export type Credentials =
  | { readonly scheme: "token"; readonly token: Secret }
  | { readonly scheme: "key"; readonly email: Secret; readonly key: Secret };

type Environment = Readonly<Record<string, string | undefined>>;

const TOKEN = "CLOUDFLARE_API_TOKEN";
const EMAIL = "CLOUDFLARE_EMAIL";
const KEY = "CLOUDFLARE_API_KEY";

/**
 * Reads this run's credential, only from the environment (docs/semantics.md#credentials-and-secrets). An empty variable
 * counts as unset, because CI sets it for a secret that does not exist. No message repeats a value.
 */
export function readCredentials(environment: Environment): Result<Credentials> {
  const [token, email, key] = [given(environment, TOKEN), given(environment, EMAIL), given(environment, KEY)];
  const faults = [TOKEN, EMAIL, KEY].flatMap((name) => faultsOf(name, given(environment, name)));
  if (token !== undefined && key !== undefined) return result(tokenOf(token), [...faults, bothGiven()]);
  if (token !== undefined) return result(tokenOf(token), faults);
  if (key !== undefined && email !== undefined) return result(keyOf(email, key), faults);
  return result(tokenOf(""), [...faults, nothingWhole(environment, key, email)]);
}

/** The headers that carry the credential. */
export function authorization(credentials: Credentials): Readonly<Record<string, string>> {
  switch (credentials.scheme) {
    case "token":
      return { authorization: `Bearer ${credentials.token.reveal()}` };
    case "key":
      return { "x-auth-email": credentials.email.reveal(), "x-auth-key": credentials.key.reveal() };
    default:
      return credentials satisfies never;
  }
}

function given(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

function tokenOf(token: string): Credentials {
  return { scheme: "token", token: new Secret(token) };
}

function keyOf(email: string, key: string): Credentials {
  return { scheme: "key", email: new Secret(email), key: new Secret(key) };
}

/**
 * A credential is a header value: one line of visible ASCII. Anything else is a copying mistake, or an attack on the
 * header.
 */
function faultsOf(name: string, value: string | undefined): readonly Diagnostic[] {
  const fault = value === undefined ? undefined : faultOf(name, value);
  if (fault === undefined) return [];
  const remedy = `set ${name} again, without quotes, spaces or line breaks round the value`;
  return [error({ code: "bad-credential", message: `${name} contains ${fault}`, remedy })];
}

function faultOf(name: string, value: string): string | undefined {
  if (/[\r\n]/.test(value)) return "a line break";
  if (/\s/.test(value)) return "a space";
  if (/[^!-~]/.test(value)) return "a control character or one that is not ASCII";
  // We could not mask a shorter value in the output without masking ordinary words.
  return name !== EMAIL && value.length < SHORTEST_SECRET ? `fewer than ${SHORTEST_SECRET} characters` : undefined;
}

function bothGiven(): Diagnostic {
  return error({
    code: "bad-credential",
    message: `${TOKEN} and ${KEY} are both set, so it is not clear which one is meant`,
    remedy: `keep ${TOKEN} and unset ${KEY} and ${EMAIL}, or the other way round`,
  });
}

function nothingWhole(environment: Environment, key: string | undefined, email: string | undefined): Diagnostic {
  if (key !== undefined) return half(KEY, EMAIL);
  if (email !== undefined) return half(EMAIL, KEY);
  const message = environment[TOKEN] === "" ? `${TOKEN} is set, but empty` : "no credential is set";
  return error(problem("no-credential", { message }));
}

function half(present: string, absent: string): Diagnostic {
  return error({
    code: "bad-credential",
    message: `${present} is set without ${absent}`,
    remedy: `set ${absent} too, or use an API token in ${TOKEN} instead`,
  });
}
