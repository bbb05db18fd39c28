import { AUTHORITY_SWITCH, LEGACY_AUTHORITY } from "./authority.ts";
import type { CertificateOrder, CertificateStatus, IssuedCertificate } from "./record.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How long each step of a certificate takes; inferred, the service only says "a few seconds" (docs/service.md#certificate-lifecycle). */
export const STEP_MILLISECONDS = { initializing: 2000, issuance: 5000, deployment: 5000, deletion: 5000 } as const;

/** How long before its end a certificate of 90 days is renewed; shorter ones are renewed in their last third. Not published. */
const RENEWAL_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** A renewal that does not validate is retried each day until the certificate expires. Not published. */
const RENEWAL_RETRY_MILLISECONDS = DAY_MILLISECONDS;

/** What the steps of an order need to know about its owner. */
export interface Ordered {
  /** Whether the CA can see that the owner controls every name. */
  isControlShown(): boolean;
  /** The CA that may issue at that time, or why none may. */
  authority(at: number): { readonly authority: string } | { readonly refused: string };
  /** The certificate that the CA issues. */
  issue(authority: string, at: number): IssuedCertificate;
  /** Whether it is live; only then is it renewed. */
  isLive(): boolean;
  /** The owner's own certificate is never renewed. */
  isUploaded(): boolean;
  /** Sets when the order next changes. */
  wake(at: number | null): void;
  /** The order is live for the first time since its last change. */
  deployed(): void;
}

type Step = (order: CertificateOrder, of: Ordered, at: number) => void;

/** The order's next step, when it is due (docs/service.md#certificate-lifecycle). */
export function stepOrder(order: CertificateOrder, of: Ordered, at: number): void {
  const step = STEPS[order.status];
  if (step === undefined) of.wake(null);
  else step(order, of, at);
}

/** When the serving certificate is next checked: at its renewal, at its end if it is an upload, or on the day of the CA switch. */
export function nextLook(order: CertificateOrder, isUploaded: boolean, at: number): number | null {
  const { issued } = order;
  if (issued === null) return null;
  const renewsAt = renewalOf(issued);
  // Total TLS always has a chosen CA, so it never switches by itself (docs/service.md#ca-chain-change).
  const switches = !isUploaded && issued.authority === LEGACY_AUTHORITY && order.chosenAuthority === "";
  return switches && at < AUTHORITY_SWITCH ? Math.min(renewsAt, AUTHORITY_SWITCH) : renewsAt;
}

const STEPS: Partial<Record<CertificateStatus, Step>> = {
  initializing: (order, of, at) => {
    order.status = "pending_validation";
    of.wake(at + waitBeforeTry(0) - STEP_MILLISECONDS.initializing);
  },
  pending_validation: tryValidation,
  pending_issuance: tryIssuance,
  pending_deployment: deploy,
  active: renew,
  pending_expiration: renew,
};

function tryValidation(order: CertificateOrder, of: Ordered, at: number): void {
  if (!of.isControlShown()) return tryAgain(order, of, at, "validation_timed_out");
  order.status = "pending_issuance";
  order.tries = 0;
  of.wake(at + STEP_MILLISECONDS.issuance);
}

/** Where CAA blocks the CA, the order stays in issuance, with the text that says so (docs/service.md#hostname-lifecycle, docs/service.md#caa). */
function tryIssuance(order: CertificateOrder, of: Ordered, at: number): void {
  const decision = of.authority(at);
  if ("refused" in decision) {
    order.validationErrors = [decision.refused];
    return tryAgain(order, of, at, "issuance_timed_out");
  }
  take(order, of.issue(decision.authority, at));
  order.status = "pending_deployment";
  of.wake(at + STEP_MILLISECONDS.deployment);
}

function deploy(order: CertificateOrder, of: Ordered, at: number): void {
  order.status = "active";
  of.deployed();
  of.wake(nextLook(order, of.isUploaded(), at));
}

/** During renewal the certificate stays active: the old one serves until the new one is issued. The day of the CA switch renews early. */
function renew(order: CertificateOrder, of: Ordered, at: number): void {
  const { issued } = order;
  if (issued === null) return of.wake(null);
  const decision = of.authority(at);
  const isReady = !of.isUploaded() && of.isLive() && of.isControlShown();
  const isEarly = at < renewalOf(issued);
  if (isEarly && "authority" in decision && decision.authority === issued.authority) return of.wake(renewalOf(issued));
  if (isReady && "authority" in decision) {
    take(order, of.issue(decision.authority, at));
    return deploy(order, of, at);
  }
  if (!isEarly) expire(order, issued, at);
  if (!of.isUploaded() && "refused" in decision) order.validationErrors = [decision.refused];
  const retryAt = of.isUploaded() ? issued.expiresAt : Math.min(at + RENEWAL_RETRY_MILLISECONDS, issued.expiresAt);
  of.wake(order.status === "expired" ? null : retryAt);
}

function expire(order: CertificateOrder, issued: IssuedCertificate, at: number): void {
  order.status = at >= issued.expiresAt ? "expired" : "pending_expiration";
}

function take(order: CertificateOrder, issued: IssuedCertificate): void {
  order.issued = issued;
  order.validationErrors = [];
  order.tries = 0;
}

function tryAgain(order: CertificateOrder, of: Ordered, at: number, end: CertificateStatus): void {
  order.tries += 1;
  if (order.tries < VALIDATION_TRIES) return of.wake(at + waitBeforeTry(order.tries));
  order.status = end;
  of.wake(null);
}

function renewalOf(issued: IssuedCertificate): number {
  const third = (issued.expiresAt - issued.issuedAt) / 3;
  return issued.expiresAt - Math.min(RENEWAL_MILLISECONDS, third);
}

/** How many validation tries there are before the service gives up (docs/service.md#back-off). */
export const VALIDATION_TRIES = 75;

/** The longest wait between two tries: four hours. */
const LONGEST_WAIT_SECONDS = 14_400;

/** The wait before try n, counted from 0, in milliseconds: a growth of 5 % up to try 9, then of 15 % (docs/service.md#back-off). */
export function waitBeforeTry(n: number): number {
  const growth = n < 10 ? 1.05 : 1.15;
  return Math.min(Math.floor(60 * growth ** n), LONGEST_WAIT_SECONDS) * 1000;
}
