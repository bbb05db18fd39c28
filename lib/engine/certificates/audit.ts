import type { Certificate } from "./certificate.ts";

/** What the CA chain change means for one certificate at a date. */
export interface Audited {
  readonly certificate: Certificate;
  readonly chain: ChainName;
  /** What the service does by itself; continues a sentence that begins with "the service". */
  readonly service: string;
  /** What the owner must do; absent for nothing. */
  readonly owner?: string;
  /** Some clients may already be unable to connect. */
  readonly isWarning: boolean;
}

/** Clients that do not know the self-signed root (docs/service.md#ca-chain-change). */
const OLD_CLIENTS = "clients without ISRG Root X1 (Android 7.0 and older)";

const NOTHING = "leaves it as it is: the chain of this CA does not change";

type Advice = Omit<Audited, "certificate" | "chain">;

/** What the CA chain change (docs/service.md#ca-chain-change) means for a certificate at a date (ms since the epoch). */
export function audit(certificate: Certificate, at: number): Audited {
  return { certificate, chain: chainOf(certificate, at), ...adviceOn(certificate, at) };
}

function adviceOn(certificate: Certificate, at: number): Advice {
  if (!isOfLegacyAuthority(certificate)) {
    const isKnown = certificate.issuing !== undefined || certificate.chosen !== undefined;
    return { service: isKnown ? NOTHING : "has not issued it yet", isWarning: false };
  }
  switch (certificate.kind) {
    case "universal":
      return { service: isSince(certificate, SWITCH) ? "chose this CA by itself" : switches(at), isWarning: false };
    case "total_tls":
    case "total_tls_setting":
      return {
        service: "never changes it",
        owner: "choose another CA in total_tls.certificate_authority",
        isWarning: false,
      };
    case "custom_hostname":
    case "advanced":
    case "custom":
    case "keyless":
      return certificate.bundling === "managed" ? managed(certificate, at) : uploaded(certificate, at);
    default:
      return certificate.kind satisfies never;
  }
}

/** Issued by Let's Encrypt, or will be, because the user chose it. */
function isOfLegacyAuthority({ chosen, issuing }: Certificate): boolean {
  return issuing === LEGACY_AUTHORITY || chosen === LEGACY_AUTHORITY;
}

function managed(certificate: Certificate, at: number): Advice {
  const { chosen, isUnsent, kind } = certificate;
  if (chosen === LEGACY_AUTHORITY) {
    const service = `${notice(certificate, at)}leaves the CA as it is; ${chainInWords(certificate, at)}`;
    return { service, owner: `if you need ${OLD_CLIENTS}, ${anotherAuthority(kind)}`, isWarning: false };
  }
  if (isSwitched(certificate)) return bySwitch(certificate, at);
  if (chosen !== undefined)
    return {
      service: `issues the next one with ${chosen}${isUnsent ? ", once that is applied" : ""}`,
      isWarning: false,
    };
  return {
    service: isSince(certificate, SWITCH)
      ? "uses this CA because it was chosen, or because CAA records block the other one"
      : `${switches(at)}, unless this one was chosen`,
    owner: "choose the CA: set ssl.certificate_authority in a policy",
    isWarning: false,
  };
}

function bySwitch(certificate: Certificate, at: number): Advice {
  if (!isSince(certificate, SWITCH)) return { service: switches(at), isWarning: false };
  return {
    service: "chose this CA by itself, because CAA records block the other one",
    owner: `if you need ${OLD_CLIENTS}, allow pki.goog in the CAA records`,
    isWarning: false,
  };
}

function switches(at: number): string {
  return `${at < SWITCH ? "switches" : "switched"} it to another CA by itself in June 2024`;
}

/** The service notified owners who had chosen that CA before the switch. */
function notice(certificate: Certificate, at: number): string {
  if (isSince(certificate, SWITCH)) return "";
  return at < SWITCH ? "sends a notice and " : "sent a notice and ";
}

/** The chain of that CA, in words. */
function chainInWords(certificate: Certificate, at: number): string {
  if (isSince(certificate, LAST_BUNDLED)) return "serves the self-signed root";
  if (at < CROSS_SIGN_EXPIRES)
    return "serves the cross-signed chain until 2024-09-30, and the self-signed root afterwards";
  return "served the cross-signed chain until 2024-09-30, and serves the self-signed root since then";
}

/** Whether it was issued on or after a date. */
function isSince({ since }: Certificate, date: number): boolean {
  return since !== undefined && Date.parse(since) >= date;
}

function anotherAuthority(kind: Certificate["kind"]): string {
  return kind === "advanced"
    ? "order a pack with another CA, then delete this one"
    : "set ssl.certificate_authority to default or to another CA in a policy";
}

function uploaded(certificate: Certificate, at: number): Advice {
  const { bundling, since } = certificate;
  if (bundling === "force") return userDefined(since === undefined ? Number.NaN : Date.parse(since), at);
  const service = chainInWords(certificate, at);
  if (isSince(certificate, LAST_BUNDLED)) return { service, isWarning: false };
  return { service, owner: `if you need ${OLD_CLIENTS}, renew it with another CA`, isWarning: false };
}

/** The service does not show the chain of an upload, so its owner has to check. */
function userDefined(uploadedAt: number, at: number): Advice {
  const service = "always serves the uploaded chain";
  if (at < CROSS_SIGN_EXPIRES)
    return {
      service,
      owner: "if its chain is the cross-signed one, upload it again before 2024-09-30",
      isWarning: false,
    };
  const when =
    uploadedAt >= CROSS_SIGN_EXPIRES
      ? "uploaded after the cross-signed chain expired"
      : "the cross-signed chain has expired";
  return {
    service,
    owner: `${when}: if its chain is that one, upload the self-signed chain instead`,
    isWarning: true,
  };
}

/** The CA whose chain changes. */
export const LEGACY_AUTHORITY = "lets_encrypt";

/**
 * The chain that a certificate is served with. `own`: a CA whose chain does not change. `switched`: the CA that the
 * service changed to by itself. `as-uploaded`: whatever came with the certificate. `none`: the certificate is not
 * issued at that date.
 */
export type ChainName = "cross-signed" | "self-signed" | "own" | "switched" | "as-uploaded" | "none";

/**
 * The chain that a certificate is served with at a date, in milliseconds since the epoch
 * (docs/service.md#ca-chain-change). Certificates of the legacy-chain CA from before 2024-09-09, issued or uploaded,
 * keep the cross-signed chain until it expires on 2024-09-30; later ones use the self-signed root. A user-defined
 * upload is served with its own chain.
 */
export function chainOf(certificate: Certificate, at: number): ChainName {
  const since = certificate.since === undefined ? Number.NaN : Date.parse(certificate.since);
  if (certificate.issuing === undefined || !(since <= at)) return "none";
  if (certificate.issuing !== LEGACY_AUTHORITY) return "own";
  if (certificate.bundling === "force") return "as-uploaded";
  if (isSwitched(certificate) && since < SWITCH && at >= SWITCH) return "switched";
  return since < LAST_BUNDLED && at < CROSS_SIGN_EXPIRES ? "cross-signed" : "self-signed";
}

/**
 * Whether the service changes the CA by itself: for managed certificates whose CA nobody chose, and never for Total
 * TLS.
 */
export function isSwitched({ kind, bundling, chosen }: Certificate): boolean {
  if (bundling !== "managed" || kind === "total_tls" || kind === "total_tls_setting") return false;
  return kind === "universal" || chosen === "default";
}

/**
 * The dates of the CA chain change (docs/service.md#ca-chain-change), in milliseconds since the epoch. The page names
 * days, and for the first one only the month; each begins at midnight UTC here.
 */

/** Managed certificates that were not explicitly set to the legacy-chain CA are switched to another one. */
export const SWITCH: number = Date.UTC(2024, 5, 1);

/** The cross-signed chain is no longer used in issuance and bundling. */
export const LAST_BUNDLED: number = Date.UTC(2024, 8, 9);

/** The cross-signed chain expires. */
export const CROSS_SIGN_EXPIRES: number = Date.UTC(2024, 8, 30);
