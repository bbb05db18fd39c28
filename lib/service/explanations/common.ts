import { CODES } from "../../core/problem.ts";
import {
  badCredential,
  type Codes,
  type Explanation,
  FORGET_ZONE,
  notAllowed,
  notFound,
  refused,
  REPORT_IT,
  ZONE_GONE,
  ZONE_UNSEEN,
} from "./entry.ts";

/** Too many calls, when the service first says so; `THROTTLED` is for when waiting did not help. */
const TOO_MANY: Explanation = {
  kind: "throttled",
  cause: "Cloudflare is rate limiting these calls",
  remedy: "wait 5 minutes, or lower budget.api",
};

/** A wrong path or a malformed id; it says nothing about the zone itself. */
const NOT_ROUTED: Explanation = notFound(
  "Cloudflare could not route the call",
  `check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4), and the zone's id in the YAML; ${FORGET_ZONE}`,
);

/** Codes that mean the same in every family (docs/service.md#error-codes). */
export const COMMON: Codes = {
  971: TOO_MANY,
  1000: badCredential("the API token is not valid"),
  6003: badCredential("the credential does not have the form that Cloudflare expects"),
  6103: badCredential("CLOUDFLARE_API_KEY does not look like a key", "put an API token into CLOUDFLARE_API_TOKEN"),
  6111: badCredential("CLOUDFLARE_API_TOKEN does not look like a token"),
  7000: ZONE_GONE,
  7001: refused("Cloudflare does not know this method for the path", REPORT_IT),
  7003: NOT_ROUTED,
  9103: badCredential("the key and the e-mail do not match", "check CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY"),
  9106: badCredential("Cloudflare found no credential in the call"),
  9109: ZONE_UNSEEN,
  10000: notAllowed(
    "the credential is not valid, or lacks the permission for this",
    "give the token SSL and Certificates, Zone WAF and Zone permissions for the zone (Read is enough for plan and drift)",
  ),
  10001: notAllowed(
    "the credential may not use this call, or the object does not exist",
    "check the token's permissions and the zone's id",
  ),
  10100: TOO_MANY,
};

/** Too many calls, and waiting did not help. */
const THROTTLED: Explanation = {
  kind: "throttled",
  ...CODES.throttled,
};

/** An error of the service itself. */
export const SERVICE_FAILED: Explanation = {
  kind: "service-failed",
  ...CODES["service-failed"],
};

/** A refusal with nothing but a status. */
export const REFUSED: Explanation = refused("Cloudflare refused the call", "fix what it names, then try again");

/** What an HTTP status means when there is no code (docs/service.md#error-codes). */
export const HTTP_STATUSES: Codes = {
  401: badCredential("the credential is not valid", "check the credential in the environment"),
  403: notAllowed("the credential lacks the permission for this", CODES["not-allowed"].remedy),
  404: { kind: "not-found", ...CODES["not-found"] },
  405: refused("Cloudflare does not know this method for the path", REPORT_IT),
  409: refused("the call conflicts with what exists already", "plan again: live has changed"),
  410: refused(
    "Cloudflare has switched this call off: the previous managed WAF rules are gone",
    "manage the zone's rules as entry_points",
  ),
  429: THROTTLED,
  500: SERVICE_FAILED,
  502: SERVICE_FAILED,
  503: SERVICE_FAILED,
  504: SERVICE_FAILED,
};
