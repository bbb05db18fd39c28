import { Secret } from "../core/secret.ts";

/** The variable with the address of the states. */
export const STATE_ADDRESS = "ZONEFORM_STATE";

type Env = Readonly<Record<string, string | undefined>>;

/** An address, and who gave it. */
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

function isHttp(address: string): boolean {
  return /^https?$/.test(schemeOf(address) ?? "");
}

/** The parameters of an address that are secret. */
const SECRET_PARAMETERS = /([?&](?:password|sslpassword)=)([^&#]*)/gi;

/** User and password in front of a host; a password may contain `@`, `/` and `?` if nobody encoded them. */
const LOGIN = /^([a-z]+:\/\/[^:@/?#]*):(.*)@/is;

/** The same address without its passwords, to be printed. */
export function withoutPasswords(address: string): string {
  if (schemeOf(address) === undefined) return address;
  if (isHttp(address)) return withoutHttpSecrets(address);
  return address.replace(LOGIN, "$1@").replace(SECRET_PARAMETERS, "");
}

/** What in an address must never be printed: its passwords, and the whole of it if it has any. */
export function secretsIn(address: string): readonly Secret[] {
  if (schemeOf(address) === undefined) return [];
  const passwords = isHttp(address)
    ? httpSecrets(address)
    : [LOGIN.exec(address)?.[2] ?? "", ...[...address.matchAll(SECRET_PARAMETERS)].map(([, , text = ""]) => text)];
  const found = passwords.filter((text) => text !== "");
  if (found.length === 0) return [];
  return [...new Set([address, ...found, ...found.map(decoded)])].map((text) => new Secret(text));
}

/** Any parameter of such an address may be a token. */
function withoutHttpSecrets(address: string): string {
  return address.replace(/[?#].*$/s, "").replace(HTTP_LOGIN, "$1");
}

function httpSecrets(address: string): readonly string[] {
  const [, , login = ""] = HTTP_LOGIN.exec(address) ?? [];
  const values = (/\?([^#]*)/s.exec(address)?.[1] ?? "").split("&").map((pair) => pair.replace(/^[^=]*=/, ""));
  return [login.replace(/^[^:]*:?/, ""), ...values];
}

const HTTP_LOGIN = /^(https?:\/\/)([^/?#]*)@/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
