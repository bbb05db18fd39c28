/** One certificate in a notice. */
export interface NoticedCertificate {
  readonly kind: "custom_hostname" | "advanced" | "total_tls";
  /** The hostname's id, or the pack's. */
  readonly id: string;
  readonly hosts: readonly string[];
  /** Its hostnames receive requests from impacted clients. */
  readonly impactedClients: boolean;
}

/** An e-mail notice to the owner of a zone (docs/service.md#notices). */
export interface Notice {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly accountId: string;
  readonly zoneId: string;
  readonly certificates: readonly NoticedCertificate[];
}
