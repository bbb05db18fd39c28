import { decodedPart, exposedEndpoint, isExposed } from "../address.ts";
import { Secret } from "../../../core/secret.ts";
import { type StateError, placeError } from "../../error.ts";
import type { TransportTls } from "./protocol.ts";

/** How the states at an address are locked. */
export interface Locking {
  readonly lockUrl: (name: string) => string;
  readonly unlockUrl: (name: string) => string;
  readonly lockMethod: string;
  readonly unlockMethod: string;
}

/** How often a request without a response is retried, and after which pauses. */
export interface Retries {
  readonly most: number;
  readonly firstMilliseconds: number;
  readonly longestMilliseconds: number;
}

/** What the address and Terraform's environment variables say about a server. */
export interface HttpAddress {
  /** The only host that requests go to. */
  readonly host: string;
  readonly stateUrl: (name: string) => string;
  /** Absent: the states are read-only. */
  readonly locking: Locking | undefined;
  readonly updateMethod: string;
  readonly login: { readonly user: string; readonly password: Secret } | undefined;
  readonly retries: Retries;
  readonly tls: TransportTls;
  /** The address of a state in messages, without user, password and parameters. */
  readonly where: (name: string) => string;
  /** The same for the address itself. */
  readonly place: string;
  /** Values that must never be printed. */
  readonly secrets: readonly Secret[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** The place of a state's name in an address. */
const NAME = "{state}";

/** GitLab and Gitea serve states below such a path, and each lock below its state. */
const LOCKED_BY_PATH = /\/terraform\/state(\/\{state\})?$/;

/** The same path with the name of one state, as GitLab and Gitea show it for Terraform. */
const NAMED = /\/terraform\/state\/[^/{}]+\/?$/;

/** A password with these characters unencoded. Its first part would be taken for a host and looked up. */
const LOGIN_PAST_HOST = /^https?:\/\/[^/?#\\]*[/?#\\].*@/is;

/** More than Terraform's 2: a run that loses its state halfway leaves more unfinished. */
const RETRIES = { most: 5, firstSeconds: 1, longestSeconds: 30 } as const;

/**
 * Reads `https://host/path` and completes it from the environment of Terraform's `http` backend. The name of a state
 * replaces `{state}`, or is appended to the path. Throws `StateError`; no message holds a part that may be secret.
 */
export function parseHttpAddress(address: string, env: Env): HttpAddress {
  if (/^(true|1)$/i.test(env["TF_HTTP_SKIP_CERT_VERIFICATION"] ?? ""))
    throw fault(
      "TF_HTTP_SKIP_CERT_VERIFICATION is set: anyone between you and the server could read and change the states",
    );
  const base = urlOf(address, "the address of the states");
  const login = loginOf(base, env);
  const plain = withoutLogin(base);
  if (NAMED.test(shown(plain)))
    throw fault("it names one state, and Zoneform keeps one for each zone: end it with /terraform/state");
  const secrets = [
    ...(login === undefined ? [] : [login.password]),
    ...[...base.searchParams.values()].filter((value) => value !== "").map((value) => new Secret(value)),
    ...given(env, "TF_HTTP_CLIENT_PRIVATE_KEY_PEM").map((key) => new Secret(key)),
  ];
  return {
    host: base.hostname,
    stateUrl: (name) => withName(plain, name),
    locking: lockingOf(plain, env),
    updateMethod: methodOf(env, "TF_HTTP_UPDATE_METHOD", "POST"),
    login,
    retries: retriesOf(env),
    tls: tlsOf(env),
    where: (name) => shown(withName(plain, name)),
    place: shown(plain),
    secrets,
  };
}

function given(env: Env, name: string): readonly string[] {
  const value = env[name] ?? "";
  return value === "" ? [] : [value];
}

function urlOf(text: string, what: string): URL {
  if (LOGIN_PAST_HOST.test(text))
    throw fault(`${what} has an @ after the host: write @ as %40, and / ? # in a password as %2F %3F %23`);
  if (!URL.canParse(text)) throw fault(`${what} does not have the form https://HOST/PATH`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw fault(`${what} does not have the form https://HOST/PATH`);
  if (isExposed(url)) throw exposedEndpoint(what);
  if (url.hash !== "") throw fault(`${what} has a part after #`);
  return url;
}

/** The login in the address, else Terraform's variables. */
function loginOf(url: URL, env: Env): HttpAddress["login"] {
  const [user] = [
    ...(url.username === "" ? [] : [decodedPart(url.username, fault)]),
    ...given(env, "TF_HTTP_USERNAME"),
  ];
  const [password = ""] = [
    ...(url.password === "" ? [] : [decodedPart(url.password, fault)]),
    ...given(env, "TF_HTTP_PASSWORD"),
  ];
  if (user === undefined && password === "") return undefined;
  if (user === undefined) throw fault("TF_HTTP_PASSWORD is set without TF_HTTP_USERNAME");
  return { user, password: new Secret(password) };
}

function withoutLogin(url: URL): string {
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  return copy.href.replaceAll("%7Bstate%7D", NAME);
}

/** Puts a name in its place, before the parameters. */
function withName(address: string, name: string): string {
  if (address.includes(NAME)) return address.replaceAll(NAME, name);
  const [path = "", query] = address.split(/\?(.*)/s, 2);
  return `${path.replace(/\/+$/, "")}/${name}${query === undefined ? "" : `?${query}`}`;
}

function shown(address: string): string {
  return address.replace(/\?.*$/s, "");
}

function lockingOf(base: string, env: Env): Locking | undefined {
  const [lock] = given(env, "TF_HTTP_LOCK_ADDRESS");
  const isKnown = lock === undefined && LOCKED_BY_PATH.test(shown(base).replace(/\/+$/, ""));
  const lockAddress = lock ?? (isKnown ? `${withName(shown(base), NAME)}/lock` : undefined);
  if (lockAddress === undefined) return undefined;
  const [unlockAddress = lockAddress] = given(env, "TF_HTTP_UNLOCK_ADDRESS");
  const locking = {
    lockUrl: lockUrlOf(lockAddress, "TF_HTTP_LOCK_ADDRESS", base),
    unlockUrl: lockUrlOf(unlockAddress, "TF_HTTP_UNLOCK_ADDRESS", base),
    lockMethod: methodOf(env, "TF_HTTP_LOCK_METHOD", isKnown ? "POST" : "LOCK"),
    unlockMethod: methodOf(env, "TF_HTTP_UNLOCK_METHOD", isKnown ? "DELETE" : "UNLOCK"),
  };
  checkApart(base, { verb: "taking", url: locking.lockUrl, method: locking.lockMethod, prefix: "TF_HTTP_LOCK" }, env);
  checkApart(
    base,
    { verb: "freeing", url: locking.unlockUrl, method: locking.unlockMethod, prefix: "TF_HTTP_UNLOCK" },
    env,
  );
  return locking;
}

/** What each HTTP method would do to the state if the lock had the same address. */
const EFFECTS: Readonly<Record<string, string>> = {
  GET: "read",
  PUT: "replace",
  PATCH: "replace",
  DELETE: "delete",
};

/** A request for a lock. */
interface LockRequest {
  readonly verb: "taking" | "freeing";
  readonly url: (name: string) => string;
  readonly method: string;
  readonly prefix: "TF_HTTP_LOCK" | "TF_HTTP_UNLOCK";
}

/** Terraform's backends for other servers use methods that would destroy a state whose lock has the same address. */
function checkApart(base: string, { verb, url, method, prefix }: LockRequest, env: Env): void {
  const effect = method === methodOf(env, "TF_HTTP_UPDATE_METHOD", "POST") ? "replace" : EFFECTS[method];
  if (effect === undefined || !isSameResource(withName(base, "x"), url("x"))) return;
  const isGiven = given(env, `${prefix}_METHOD`).length > 0;
  const how = isGiven ? `${prefix}_METHOD is ${method}` : `${verb} the lock is a ${method}`;
  throw placeError({
    code: "state-address",
    message: `${how}, and the lock has the same address as the state, so ${verb} the lock would ${effect} the state`,
    remedy: isGiven
      ? `unset it, or give ${prefix}_ADDRESS an address of its own`
      : `unset ${prefix}_ADDRESS, or give it an address of its own`,
  });
}

/** Whether a server cannot tell a lock from its state: neither the path nor a parameter differs. */
function isSameResource(state: string, lock: string): boolean {
  const [one, other] = [new URL(state), new URL(lock)];
  const pathOf = ({ pathname }: URL): string => `${pathname}/`.replace(/\/+/g, "/");
  if (pathOf(one) !== pathOf(other)) return false;
  return [...other.searchParams].every(([name, value]) => one.searchParams.getAll(name).includes(value));
}

function lockUrlOf(address: string, variable: string, base: string): (name: string) => string {
  const url = urlOf(address, variable);
  const plain = withoutLogin(url);
  // The password goes to the host that ZONEFORM_STATE names, and to no other.
  if (url.host !== new URL(base).host) throw fault(`${variable} leads to another host than the states`);
  if (!plain.includes(NAME))
    throw fault(
      `${variable} has no ${NAME} where the name of the state belongs, so that all states would share one lock`,
    );
  return (name) => withName(plain, name);
}

function methodOf(env: Env, variable: string, otherwise: string): string {
  const [method = otherwise] = given(env, variable);
  if (!/^[A-Z]{1,20}$/.test(method)) throw fault(`${variable} is not the name of an HTTP method`);
  return method;
}

function retriesOf(env: Env): Retries {
  const most = numberOf(env, "TF_HTTP_RETRY_MAX", RETRIES.most);
  const first = numberOf(env, "TF_HTTP_RETRY_WAIT_MIN", RETRIES.firstSeconds);
  const longest = numberOf(env, "TF_HTTP_RETRY_WAIT_MAX", RETRIES.longestSeconds);
  return { most, firstMilliseconds: 1000 * first, longestMilliseconds: 1000 * Math.max(first, longest) };
}

function numberOf(env: Env, variable: string, otherwise: number): number {
  const [text] = given(env, variable);
  if (text === undefined) return otherwise;
  if (!/^\d{1,3}$/.test(text)) throw fault(`${variable} is not a number from 0 to 999`);
  return Number(text);
}

function tlsOf(env: Env): TransportTls {
  const [ca] = given(env, "TF_HTTP_CLIENT_CA_CERTIFICATE_PEM");
  const [cert] = given(env, "TF_HTTP_CLIENT_CERTIFICATE_PEM");
  const [key] = given(env, "TF_HTTP_CLIENT_PRIVATE_KEY_PEM");
  if ((cert === undefined) !== (key === undefined))
    throw fault("TF_HTTP_CLIENT_CERTIFICATE_PEM and TF_HTTP_CLIENT_PRIVATE_KEY_PEM need each other");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function fault(what: string): StateError {
  return placeError({
    code: "state-address",
    message: `the address of the state cannot be used: ${what}`,
    remedy: "correct ZONEFORM_STATE, --state, or the variables TF_HTTP_… (docs/http.md)",
  });
}
