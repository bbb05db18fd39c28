import { AUTHORITY_SWITCH, LEGACY_AUTHORITY } from "./authority.ts";
import type { CertificateOrder, CertificateStatus, IssuedCertificate } from "./certificate.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How long each step of a certificate takes. Inferred: the service publishes no figures (docs/service.md#certificate-lifecycle). */
export const STEP_MILLISECONDS = { initializing: 2000, issuance: 5000, deployment: 5000, deletion: 5000 } as const;

/** How long before its end a certificate of 90 days or more is renewed. A shorter one is renewed in its last third. Not published. */
const RENEWAL_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** How long to wait before a failed renewal is retried, until the certificate expires. Not published. */
const RENEWAL_RETRY_MILLISECONDS = DAY_MILLISECONDS;

/** What the steps of an order need to know about its owner. */
export interface OrderOwner {
  /** Whether the CA can see that the owner controls every name. */
  isControlShown(): boolean;
  /** The CA that may issue at that time, or why none may. */
  authority(at: number): { readonly authority: string } | { readonly refused: string };
  /** The certificate that the CA issues. */
  issue(authority: string, at: number): IssuedCertificate;
  /** Whether the owner is live. Only then is its certificate renewed. */
  isLive(): boolean;
  /** Whether the certificate was uploaded. Such a certificate is never renewed. */
  isUploaded(): boolean;
  /** Sets when the order next changes; null if it waits for nothing. */
  wake(at: number | null): void;
  /** Called each time a certificate of the order has been deployed. */
  deployed(): void;
}

type Step = (order: CertificateOrder, owner: OrderOwner, at: number) => void;

/** Takes the order's next step when it is due (docs/service.md#certificate-lifecycle). */
export function stepOrder(order: CertificateOrder, owner: OrderOwner, at: number): void {
  const step = STEPS[order.status];
  if (step === undefined) owner.wake(null);
  else step(order, owner, at);
}

/** When the serving certificate is next checked: when its renewal begins, or on the day of the CA switch if that comes first. */
export function nextLook(order: CertificateOrder, isUploaded: boolean, at: number): number | null {
  const { issued } = order;
  if (issued === null) return null;
  const renewsAt = renewalOf(issued);
  // Total TLS always has a chosen CA, so it never switches by itself (docs/service.md#ca-chain-change).
  const switches = !isUploaded && issued.authority === LEGACY_AUTHORITY && order.chosenAuthority === "";
  return switches && at < AUTHORITY_SWITCH ? Math.min(renewsAt, AUTHORITY_SWITCH) : renewsAt;
}

const STEPS: Partial<Record<CertificateStatus, Step>> = {
  initializing: (order, owner, at) => {
    order.status = "pending_validation";
    owner.wake(at + waitBeforeTry(0) - STEP_MILLISECONDS.initializing);
  },
  pending_validation: tryValidation,
  pending_issuance: tryIssuance,
  pending_deployment: deploy,
  active: renew,
  pending_expiration: renew,
};

function tryValidation(order: CertificateOrder, owner: OrderOwner, at: number): void {
  if (!owner.isControlShown()) return tryAgain(order, owner, at, "validation_timed_out");
  order.status = "pending_issuance";
  order.tries = 0;
  owner.wake(at + STEP_MILLISECONDS.issuance);
}

/** If CAA blocks the CA, the order stays in issuance and its errors say so (docs/service.md#hostname-lifecycle, docs/service.md#caa). */
function tryIssuance(order: CertificateOrder, owner: OrderOwner, at: number): void {
  const decision = owner.authority(at);
  if ("refused" in decision) {
    order.validationErrors = [decision.refused];
    return tryAgain(order, owner, at, "issuance_timed_out");
  }
  take(order, owner.issue(decision.authority, at));
  order.status = "pending_deployment";
  owner.wake(at + STEP_MILLISECONDS.deployment);
}

function deploy(order: CertificateOrder, owner: OrderOwner, at: number): void {
  order.status = "active";
  owner.deployed();
  owner.wake(nextLook(order, owner.isUploaded(), at));
}

/** The old certificate serves until the new one is issued. The day of the CA switch renews early, if another CA would now issue. */
function renew(order: CertificateOrder, owner: OrderOwner, at: number): void {
  const { issued } = order;
  if (issued === null) return owner.wake(null);
  const decision = owner.authority(at);
  const isReady = !owner.isUploaded() && owner.isLive() && owner.isControlShown();
  const isEarly = at < renewalOf(issued);
  if (isEarly && "authority" in decision && decision.authority === issued.authority)
    return owner.wake(renewalOf(issued));
  if (isReady && "authority" in decision) {
    take(order, owner.issue(decision.authority, at));
    return deploy(order, owner, at);
  }
  if (!isEarly) expire(order, issued, at);
  if (!owner.isUploaded() && "refused" in decision) order.validationErrors = [decision.refused];
  const retryAt = owner.isUploaded() ? issued.expiresAt : Math.min(at + RENEWAL_RETRY_MILLISECONDS, issued.expiresAt);
  owner.wake(order.status === "expired" ? null : retryAt);
}

function expire(order: CertificateOrder, issued: IssuedCertificate, at: number): void {
  order.status = at >= issued.expiresAt ? "expired" : "pending_expiration";
}

function take(order: CertificateOrder, issued: IssuedCertificate): void {
  order.issued = issued;
  order.validationErrors = [];
  order.tries = 0;
}

function tryAgain(order: CertificateOrder, owner: OrderOwner, at: number, end: CertificateStatus): void {
  order.tries += 1;
  if (order.tries < VALIDATION_TRIES) return owner.wake(at + waitBeforeTry(order.tries));
  order.status = end;
  owner.wake(null);
}

function renewalOf(issued: IssuedCertificate): number {
  const third = (issued.expiresAt - issued.issuedAt) / 3;
  return issued.expiresAt - Math.min(RENEWAL_MILLISECONDS, third);
}

/** How many validation tries there are before the service gives up (docs/service.md#back-off). */
export const VALIDATION_TRIES = 75;

/** The longest wait between two tries: four hours. */
const LONGEST_WAIT_SECONDS = 14_400;

/** The wait before try n, counted from 0, in milliseconds. It grows by 5% up to try 9, then by 15% (docs/service.md#back-off). */
export function waitBeforeTry(n: number): number {
  const growth = n < 10 ? 1.05 : 1.15;
  return Math.min(Math.floor(60 * growth ** n), LONGEST_WAIT_SECONDS) * 1000;
}
