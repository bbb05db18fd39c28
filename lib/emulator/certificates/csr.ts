/** A certificate signing request whose private key the service keeps (docs/service.md#custom-csrs). */
export interface CustomCsr {
  readonly id: string;
  /** The id of the zone or the account that it belongs to. */
  readonly owner: string;
  readonly commonName: string;
  readonly country: string;
  readonly state: string;
  readonly locality: string;
  readonly organization: string;
  readonly organizationalUnit: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly sans: readonly string[];
  readonly keyType: "rsa2048" | "p256v1";
  /** PEM. */
  readonly request: string;
  /** PEM; never shown. */
  readonly privateKey: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
