import { StateError, placeError } from "../../error.ts";
import { withoutOpenssl } from "../address.ts";
import { BucketLost, BucketRefused, WEB_PAGE } from "./bucket.ts";

/** No server could be reached for as long as we wait. */
export function unreachable(where: string, cause: unknown): StateError {
  const reason = cause instanceof Error ? withoutOpenssl(cause.message) : "";
  const server = cause instanceof BucketLost && cause.server !== undefined ? ` on ${cause.server}` : "";
  return placeError(
    {
      code: "state-unreachable",
      message: `the state at ${where} cannot be reached${server}${reason === "" ? "" : `: ${reason}`}`,
      remedy: "check the endpoint and that this machine reaches it, then run it again: nothing is half written",
    },
    { cause },
  );
}

/** The server does not keep the promises of conditional writes, on which the lock stands. */
export function conditionsIgnored(where: string, what: string, cause?: unknown): StateError {
  return placeError(
    {
      code: "state-conditions-ignored",
      message: `the server of ${where} cannot keep a lock: ${what}`,
      remedy: "use a server with conditional writes (docs/s3.md lists some), or keep the states in PostgreSQL",
    },
    { cause },
  );
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

/** What the server's refusals mean for a user, by S3's names. */
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

/** An error of the bucket in the user's words: `what` continues "the state at … cannot be". Other errors stay as they are. */
export function explained(thrown: unknown, where: string, what: string): unknown {
  if (thrown instanceof BucketLost) return unreachable(where, thrown);
  if (!(thrown instanceof BucketRefused)) return thrown;
  const { code: name, status } = thrown;
  const known = MEANINGS[name] ?? (status === 401 || status === 403 ? DENIED : undefined);
  const [code, meaning, remedy] = known ?? REFUSED;
  const answer = status === 0 ? name : `${name}, status ${status}`;
  return new StateError(
    { code, message: `the state at ${where} cannot be ${what}: ${meaning} (${answer})`, remedy },
    // A refusal that is not known may be about one object.
    { cause: thrown, isOfThePlace: known !== undefined },
  );
}
