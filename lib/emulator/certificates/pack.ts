import type { CertificateOrder } from "./order.ts";

/** A certificate pack that belongs to the zone itself; those of custom hostnames follow from the hostnames. */
export interface CertificatePack extends CertificateOrder {
  readonly type: "universal" | "advanced" | "total_tls";
  readonly hosts: readonly string[];
  readonly validityDays: number;
}
