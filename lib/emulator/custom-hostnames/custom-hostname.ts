import type { CertificateOrder, IssuedCertificate } from "../certificates/certificate.ts";
import { createHistory, type History } from "../history.ts";
import type { JsonObject } from "../json.ts";

/** The statuses of a hostname (docs/service.md#hostname-lifecycle). The lifecycle sets the first five; the others can only be forced. */
export const HOSTNAME_STATUSES = [
  "pending",
  "active",
  "active_redeploying",
  "moved",
  "blocked",
  "pending_deletion",
  "deleted",
  "pending_blocked",
  "pending_migration",
  "pending_provisioned",
  "test_pending",
  "test_active",
  "test_active_apex",
  "test_blocked",
  "test_failed",
  "provisioned",
] as const;

/** The stored status of a hostname (docs/service.md#hostname-lifecycle). `caa_error` is never stored: see `shownStatus`. */
export type HostnameStatus = (typeof HOSTNAME_STATUSES)[number];

/** A hostname's certificate: what was ordered, how far the order has got, and what was issued last. */
export interface Certificate extends CertificateOrder {
  wildcard: boolean;
  bundleMethod: string;
  settings: JsonObject;
  /** Whether the owner uploaded the certificate. Then nothing is validated. */
  uploaded: boolean;
  /** The CSR that the upload was made for, if any. */
  csrId: string | null;
  /** The certificate of the other key type in an uploaded bundle of two. */
  second: IssuedCertificate | null;
  /** The id of the pack that serves until its replacement is live (docs/service.md#editing-a-custom-hostname); null if none is being replaced. */
  replacedId: string | null;
  /** The zone's label in the target to which a customer may delegate the CA's TXT name. */
  readonly delegation: string;
}

/** A custom hostname as the service stores it. Times are milliseconds since the epoch. */
export interface CustomHostname {
  readonly id: string;
  readonly hostname: string;
  createdAt: number;
  status: HostnameStatus;
  verificationErrors: string[];
  /** The token for the ownership TXT record and URL. */
  ownershipToken: string;
  /** Failed ownership tries since the last restart. */
  tries: number;
  dueAt: number | null;
  /** Whether DNS pointed at the zone at the last check. Only then can the hostname move away. */
  pointed: boolean;
  ssl: Certificate | null;
  customOriginServer: string | null;
  customOriginSni: string | null;
  customMetadata: JsonObject | null;
}

/** The custom hostnames of a zone, in order of creation, with their history. */
export interface Hostnames extends History {
  size(): number;
  get(id: string): CustomHostname | undefined;
  /** Finds a hostname by its exact name. */
  named(hostname: string): CustomHostname | undefined;
  /** All hostnames, oldest first. The array belongs to the collection: do not change it. */
  all(): readonly CustomHostname[];
  add(custom: CustomHostname): void;
  remove(id: string): void;
}

/** Creates an empty collection. Adding, removing and finding take constant time. The array is rebuilt only after a removal. */
export function createHostnames(): Hostnames {
  const byId = new Map<string, CustomHostname>();
  const byName = new Map<string, CustomHostname>();
  let ordered: CustomHostname[] | undefined = [];
  return {
    ...createHistory(),
    size: () => byId.size,
    get: (id) => byId.get(id),
    named: (hostname) => byName.get(hostname),
    all: () => (ordered ??= [...byId.values()]),
    add: (custom) => {
      byId.set(custom.id, custom);
      byName.set(custom.hostname, custom);
      ordered?.push(custom);
    },
    remove: (id) => {
      const custom = byId.get(id);
      if (custom === undefined) return;
      byId.delete(id);
      byName.delete(custom.hostname);
      ordered = undefined;
    },
  };
}
