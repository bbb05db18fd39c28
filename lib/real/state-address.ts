import { SHORTEST_SECRET } from "../core/redaction.ts";
import { Secret, SENSITIVE } from "../core/secret.ts";

/** The variable with the address of the states. */
export const STATE_ADDRESS = "ZONEFORM_STATE";

type Env = Readonly<Record<string, string | undefined>>;

/** An address, and where it was given. */
export interface GivenAddress {
  /** A folder, `postgres://…`, `s3://…` or `https://…`. */
  readonly text: string;
  readonly from: "--state" | "--to" | typeof STATE_ADDRESS;
}

/** The address of the states: the flag's, else the environment's; undefined for neither. It never comes from a file. */
export function givenAddress(flag: string | undefined, env: Env): GivenAddress | undefined {
  if (flag !== undefined) return { text: flag, from: "--state" };
  const text = env[STATE_ADDRESS] ?? "";
  return text === "" ? undefined : { text, from: STATE_ADDRESS };
}

/** The scheme of an address, in lower case; undefined for a folder. */
export function schemeOf(address: string): string | undefined {
  return /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(address)?.[1]?.toLowerCase();
}

/** libpq's other form, `host=… password=…`, and addresses that lack a slash. */
const ALMOST =
  /^(?:postgres(?:ql)?|s3|https?):|(?:^|\s)(?:host|hostaddr|port|user|password|dbname|service|sslmode)\s*=/i;

/** Whether a text without a scheme is meant as an address. A folder begins with a dot or a slash. */
export function isAlmostAddress(text: string): boolean {
  return schemeOf(text) === undefined && !/^[./\\]/.test(text) && ALMOST.test(text);
}

function isHttp(address: string): boolean {
  return /^https?$/.test(schemeOf(address) ?? "");
}

/** The parameters of an address that are secret. */
const SECRET_PARAMETERS = /([?&](?:password|sslpassword)=)([^&#]*)/gi;

/** User and password before a host; an unencoded password may contain `@`, `/` and `?`. */
const LOGIN = /^([a-z]+:\/\/[^:@/?#]*):(.*)@/is;

/** The same address without its passwords, to be printed. */
export function withoutPasswords(address: string): string {
  // We cannot tell where in it the password is.
  if (isAlmostAddress(address)) return SENSITIVE;
  if (schemeOf(address) === undefined) return address;
  if (isHttp(address)) return withoutHttpSecrets(address);
  return address.replace(LOGIN, "$1@").replace(SECRET_PARAMETERS, "");
}

/**
 * The passwords in an address, which must never be printed. A short one is returned together with the text around it,
 * because it would otherwise be found everywhere. Messages may name everything else.
 */
export function secretsIn(address: string): readonly Secret[] {
  if (isAlmostAddress(address)) return [new Secret(address), ...almostSecrets(address)];
  if (schemeOf(address) === undefined) return [];
  const found = isHttp(address) ? httpSecrets(address) : postgresSecrets(address);
  const texts = found.flatMap(({ password, around }) =>
    password.length < SHORTEST_SECRET ? [around] : [password, decoded(password)],
  );
  return [...new Set(texts)].map((text) => new Secret(text));
}

function almostSecrets(address: string): readonly Secret[] {
  const pairs = [...address.matchAll(/password\s*=\s*('[^']*'|\S+)/gi)].map(([, text = ""]) =>
    text.replaceAll("'", ""),
  );
  const [, login = ""] = /^[a-z]+:\/?[^:@]*:(.*)@/is.exec(address) ?? [];
  return [...pairs, login].filter((text) => text.length >= SHORTEST_SECRET).map((text) => new Secret(text));
}

/** A password as written in an address. */
interface Password {
  readonly password: string;
  /** With the user, or with the name of the parameter. */
  readonly around: string;
}

function postgresSecrets(address: string): readonly Password[] {
  const [, user = "", password = ""] = LOGIN.exec(address) ?? [];
  const parameters = [...address.matchAll(SECRET_PARAMETERS)].map(([pair, , text = ""]) => ({
    password: text,
    around: pair.slice(1),
  }));
  return present([{ password, around: `${user.replace(/^.*\//, "")}:${password}@` }, ...parameters]);
}

/** Any parameter of such an address may be a token. */
function withoutHttpSecrets(address: string): string {
  return address.replace(HTTP_LOGIN, "$1").replace(/[?#].*$/s, "");
}

function httpSecrets(address: string): readonly Password[] {
  const [, , login = ""] = HTTP_LOGIN.exec(address) ?? [];
  const pairs = (/\?([^#]*)/s.exec(address)?.[1] ?? "").split("&");
  return present([
    { password: login.replace(/^[^:]*:?/, ""), around: `${login}@` },
    ...pairs.map((pair) => ({ password: pair.replace(/^[^=]*=/, ""), around: pair })),
  ]);
}

function present(passwords: readonly Password[]): readonly Password[] {
  return passwords.filter(({ password }) => password !== "");
}

/** Up to the last `@`: there may be none after the host. */
const HTTP_LOGIN = /^(https?:\/\/)(.*)@/is;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
