import { optionalText, texts } from "../../core/decode.ts";
import {
  CERTIFICATE_STATUSES,
  HOSTNAME_STATUSES,
  meaningOfText,
  type Meant,
  saysOneOf,
} from "../../service/explanations/statuses.ts";
import type { Live } from "../live.ts";
import type { Readiness } from "../traits/remote.ts";

/**
 * What a state means for a change of `ssl`. `under way`: the change would restart a validation or a rollout. `final`:
 * only an edit gets the hostname out of it. `active`: nothing is being validated.
 */
export type Phase = "under way" | "final" | "active";

/** What a state means for a change of `ssl`, and what lifts the hold. */
export type Standing =
  | { readonly phase: "under way"; readonly lifts: string; readonly isSoon?: true }
  | { readonly phase: "final" }
  | { readonly phase: "active" };

const ACTIVE: Standing = { phase: "active" };
const FINAL: Standing = { phase: "final" };
const underWay = (lifts: string): Standing => ({
  phase: "under way",
  lifts,
  ...(lifts === MINUTES ? { isSoon: true } : {}),
});

const RECORDS = "the customer has set the records of zoneform hostname todo";
const MINUTES = "Cloudflare is done, usually within minutes";

/**
 * All states of `ssl.status` (docs/service.md#certificate-lifecycle) and `caa_error`, with what each means for a change
 * of `ssl`.
 */
export const CERTIFICATE_STANDINGS: Readonly<Record<string, Standing>> = {
  caa_error: FINAL,
  initializing: underWay(MINUTES),
  pending_validation: underWay(RECORDS),
  pending_issuance: underWay(MINUTES),
  pending_deployment: underWay(MINUTES),
  active: ACTIVE,
  pending_expiration: FINAL,
  expired: FINAL,
  initializing_timed_out: FINAL,
  validation_timed_out: FINAL,
  issuance_timed_out: FINAL,
  deployment_timed_out: FINAL,
  deletion_timed_out: FINAL,
  pending_deletion: underWay(MINUTES),
  deleted: FINAL,
  pending_cleanup: underWay("its new certificate is in use"),
  staging_deployment: underWay(MINUTES),
  staging_active: ACTIVE,
  deactivating: underWay(MINUTES),
  inactive: FINAL,
  backup_issued: ACTIVE,
  holding_deployment: FINAL,
};

/**
 * All states of a hostname (docs/service.md#hostname-lifecycle), with `caa_error`, which only the service's description
 * has.
 */
export const HOSTNAME_STANDINGS: Readonly<Record<string, Standing>> = {
  active: ACTIVE,
  pending: underWay(RECORDS),
  active_redeploying: underWay(MINUTES),
  moved: FINAL,
  pending_deletion: underWay(MINUTES),
  deleted: FINAL,
  pending_blocked: underWay(MINUTES),
  pending_migration: underWay(MINUTES),
  pending_provisioned: underWay(MINUTES),
  test_pending: underWay(MINUTES),
  test_active: ACTIVE,
  test_active_apex: ACTIVE,
  test_blocked: FINAL,
  test_failed: FINAL,
  provisioned: underWay(MINUTES),
  blocked: FINAL,
  caa_error: FINAL,
};

/** Statuses in which visitors reach the hostname. While it is deployed again, the previous deployment serves. */
const SERVED: readonly string[] = ["active", "active_redeploying"];

/** Whether visitors reach the hostname. */
export function isServed({ status }: Pick<Live, "status">): boolean {
  return SERVED.includes(optionalText(status, "status") ?? "unknown");
}

const UNKNOWN = underWay("Cloudflare reports another status; Zoneform does not know this one");

/**
 * What a hostname's state means for a change of `ssl`: if it or its certificate is in a final state, only an edit
 * helps. The text `caa_error` counts whatever the statuses say, because CAA records block the CA until they are
 * changed.
 */
export function standingOf({ status }: Live): Standing {
  const certificate = optionalText(status, "ssl_status");
  if (certificate === undefined) return ACTIVE;
  if (isBlockedByCaa(status)) return FINAL;
  const both = [find(CERTIFICATE_STANDINGS, certificate), find(HOSTNAME_STANDINGS, optionalText(status, "status"))];
  return both.find(({ phase }) => phase === "final") ?? both.find(({ phase }) => phase === "under way") ?? ACTIVE;
}

/** Whether a customer may have to set records before the service continues. */
export function waitsForRecords({ status }: Live): boolean {
  const both = [
    find(CERTIFICATE_STANDINGS, optionalText(status, "ssl_status") ?? "active"),
    find(HOSTNAME_STANDINGS, optionalText(status, "status")),
  ];
  return both.some((standing) => standing.phase === "under way" && standing.lifts === RECORDS);
}

/** Whether CAA records block the CA, according to the status or a message of the service. */
export function isBlockedByCaa(status: Live["status"]): boolean {
  const words = [optionalText(status, "status"), optionalText(status, "ssl_status")];
  return words.includes("caa_error") || saysOneOf(texts(status, "validation_errors"), "caa-error");
}

function find(standings: Readonly<Record<string, Standing>>, status = "unknown"): Standing {
  return Object.hasOwn(standings, status) ? (standings[status] ?? UNKNOWN) : UNKNOWN;
}

/** The remedy for an unknown status. */
const PENDING: Pick<Meant, "remedy"> = {
  remedy: "the customer must set the records that zoneform hostname todo lists",
};

/**
 * Ready means that hostname and certificate are active; a successful handshake proves nothing
 * (docs/service.md#hostname-lifecycle).
 */
export function readiness(live: Live): Readiness {
  const status = optionalText(live.status, "status") ?? "unknown";
  const sslStatus = optionalText(live.status, "ssl_status");
  if (status === "active" && (sslStatus === undefined || sslStatus === "active")) return "ready";
  const said = [...texts(live.status, "verification_errors"), ...texts(live.status, "validation_errors")];
  const where = `the hostname is ${status}${sslStatus === undefined ? "" : `, its certificate ${sslStatus}`}`;
  return {
    reason: said.length === 0 ? where : `${where}: ${said.join("; ")}`,
    ...whatToDo(status, sslStatus, said),
  };
}

/**
 * Uses the texts of `zoneform explain`: for the hostname's status, then the certificate's, then the service's messages.
 */
function whatToDo(
  status: string,
  sslStatus: string | undefined,
  said: readonly string[],
): { remedy: string; isFinal: boolean } {
  const known = HOSTNAME_STATUSES[status];
  if (known && (status === "blocked" || status === "moved")) return { remedy: known.remedy, isFinal: true };
  const certificate = sslStatus?.endsWith("_timed_out") ? CERTIFICATE_STATUSES[sslStatus] : undefined;
  if (certificate) return { remedy: certificate.remedy, isFinal: true };
  const text = said.map(meaningOfText).find((meaning) => meaning !== undefined);
  const meant = text ?? (status === "active" ? CERTIFICATE_STATUSES[sslStatus ?? ""] : known);
  return { remedy: (meant ?? PENDING).remedy, isFinal: false };
}
