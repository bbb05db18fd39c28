import { problem, Refusal } from "../../../core/diagnostic.ts";
import { StateError, placeError } from "../../error.ts";
import { isNotHttp, isNotTls, withoutOpenssl, wrongProtocol } from "../address.ts";
import { BucketLost, BucketRefused, WEB_PAGE } from "./bucket.ts";

/** The server of a request. */
export interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
}

/** Error codes that mean "not now". */
const PASSING_CODES: readonly string[] = [
  "ConditionalRequestConflict",
  "OperationAborted",
  "RequestTimeout",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
];

/** Turns what the library threw into an error of `Bucket`; our own errors stay as they are. */
export function bucketError(error: unknown, target: Target | undefined): unknown {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof RangeError) return error;
  if (error instanceof BucketRefused) return error;
  const { name: code, message } = error;
  if (code === "CredentialsProviderError" || code === "TokenProviderError")
    return new BucketRefused("CredentialsProviderError", 0, message, error);
  const status = httpStatusOf(error);
  if (status === undefined) return otherProtocol(error, target) ?? lost(error, target);
  if (status === 501) return new BucketRefused("NotImplemented", status, message, error);
  if (status === 408 || status === 429 || status >= 500 || PASSING_CODES.includes(code)) return lost(error, target);
  if (isPageIn(error)) return new BucketRefused(WEB_PAGE, status, message, error);
  if (status === 301 || status === 307) return new BucketRefused("PermanentRedirect", status, message, error);
  return new BucketRefused(code, status, message, error);
}

/**
 * The server does not speak the protocol of the endpoint, and waiting would not help; undefined for every other error.
 */
function otherProtocol(error: Error, target: Target | undefined): StateError | undefined {
  if (!target) return undefined;
  if (isNotTls(error)) {
    const remedy = "correct the host and the port of the endpoint; only on this machine http:// may be right";
    return wrongProtocol(nameOf(target), "does not speak TLS, and the endpoint is https://", remedy, error);
  }
  if (!isNotHttp(error)) return undefined;
  const remedy = "correct the host and the port of the endpoint, or write it with https:// if that port speaks TLS";
  return wrongProtocol(nameOf(target), "does not answer with HTTP, so it is no S3 server", remedy, error);
}

function lost(error: Error, target: Target | undefined): BucketLost {
  // A network error often has its reason in its cause, and an empty message.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const reason = error.name === "TimeoutError" ? "the server did not answer in time" : error.message || code;
  return new BucketLost(reason, error, target && nameOf(target));
}

/** Whether the response of an error is a web page: S3 answers with XML. */
function isPageIn(error: Error): boolean {
  const response: unknown = "$response" in error && error.$response;
  return /^text\/html\b/i.test(headerIn(response, "content-type"));
}

function httpStatusOf(error: Error): number | undefined {
  const metadata: unknown = "$metadata" in error && error.$metadata;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}

/** The host, with its port unless that is the default. */
function nameOf({ hostname, port }: Target): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/** A header of a response as the library gives it; empty if missing. */
export function headerIn(response: unknown, name: string): string {
  const headers: unknown =
    typeof response === "object" && response !== null && "headers" in response && response.headers;
  const value: unknown = typeof headers === "object" && headers !== null && Reflect.get(headers, name);
  return typeof value === "string" ? value : "";
}

/** No server was reached within the wait. */
export function unreachable(where: string, cause: unknown): StateError {
  const reason = cause instanceof Error ? withoutOpenssl(cause.message) : "";
  const server = cause instanceof BucketLost && cause.server !== undefined ? ` on ${cause.server}` : "";
  const message = `the state at ${where} cannot be reached${server}${reason === "" ? "" : `: ${reason}`}`;
  const remedy = "check the endpoint and that this machine reaches it, then run it again: nothing is half written";
  return placeError(problem("state-unreachable", { message }, { remedy }), { cause });
}

/** The server does not honour conditional writes, which the lock depends on. */
export function conditionsIgnored(where: string, what: string, cause?: unknown): StateError {
  return placeError(problem("state-conditions-ignored", { where, what }), { cause });
}

type Meaning = readonly [code: "state-denied" | "state-server", meaning: string, remedy: string];

const RENEW = "renew the credentials (for SSO: aws sso login), then run it again";
const CORRECT = "correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile";
const UNKNOWN_KEY: Meaning = ["state-denied", "the server does not know the access key", CORRECT];
const NO_REGION: Meaning = [
  "state-server",
  "the bucket is in another region",
  "name its region in the address (?region=eu-central-1) or in AWS_REGION",
];

/** What the server's refusals mean for a user, by S3's error names. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  AccessDenied: [
    "state-denied",
    "these credentials may not do that, or the object is not there and they may not know",
    "grant what docs/s3.md lists for this job; without s3:ListBucket, S3 does not tell a missing object from a forbidden one",
  ],
  AllAccessDisabled: ["state-denied", "all access to the bucket is disabled", "ask the owner of the bucket"],
  ExpiredToken: ["state-denied", "the credentials have expired", RENEW],
  ExpiredTokenException: ["state-denied", "the credentials have expired", RENEW],
  TokenRefreshRequired: ["state-denied", "the credentials have expired", RENEW],
  InvalidToken: ["state-denied", "the session token is wrong", RENEW],
  InvalidAccessKeyId: UNKNOWN_KEY,
  XAdminUserNotFound: UNKNOWN_KEY,
  SignatureDoesNotMatch: ["state-denied", "the secret key does not belong to the access key", CORRECT],
  CredentialsProviderError: [
    "state-denied",
    "there are no credentials",
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, a web identity, or give the machine a role",
  ],
  NoSuchBucket: ["state-server", "there is no such bucket", "create it, or correct its name in the address"],
  PermanentRedirect: NO_REGION,
  AuthorizationHeaderMalformed: NO_REGION,
  IllegalLocationConstraintException: NO_REGION,
  MissingRegion: [
    "state-server",
    "no region is given, or one that no region can have",
    "name it in the address (?region=eu-central-1) or in AWS_REGION",
  ],
  [WEB_PAGE]: [
    "state-server",
    "what answers there sends a web page, so it is no S3 server",
    "correct the endpoint: a proxy, a page to log in and the console of a server answer like this",
  ],
  RequestTimeTooSkewed: [
    "state-server",
    "the clock of this machine differs from the server's by more than 15 minutes",
    "set the clock (timedatectl set-ntp true), then run it again",
  ],
  QuotaExceeded: ["state-server", "the quota of the bucket is used up", "free space there, then run it again"],
};

const DENIED: Meaning = [
  "state-denied",
  "the server refuses these credentials",
  `${CORRECT}, or grant what docs/s3.md lists for this job`,
];
const REFUSED: Meaning = [
  "state-server",
  "the server refused it",
  "look up the code in the documentation of the server, correct the cause, then run it again",
];

/**
 * Explains an error of the bucket in the user's words; `what` continues "the state at … cannot be". Other errors stay
 * as they are.
 */
export function explained(thrown: unknown, where: string, what: string): unknown {
  if (thrown instanceof BucketLost) return unreachable(where, thrown);
  if (!(thrown instanceof BucketRefused)) return thrown;
  const { code: name, status } = thrown;
  const known = MEANINGS[name] ?? (status === 401 || status === 403 ? DENIED : undefined);
  const [code, meaning, remedy] = known ?? REFUSED;
  const answer = status === 0 ? name : `${name}, status ${status}`;
  return new StateError(
    { code, message: `the state at ${where} cannot be ${what}: ${meaning} (${answer})`, remedy },
    // An unknown refusal may concern only one object.
    { cause: thrown, isOfThePlace: known !== undefined },
  );
}
