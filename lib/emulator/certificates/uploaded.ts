import type { Bundling } from "./chain.ts";
import type { IssuedCertificate } from "./order.ts";

/** A certificate that the owner uploaded for the zone (docs/service.md#custom-certificates). Times are milliseconds since the epoch. */
export interface CustomCertificate {
  readonly id: string;
  readonly type: "legacy_custom" | "sni_custom";
  bundleMethod: Exclude<Bundling, "managed">;
  geo: string | null;
  policy: string | null;
  priority: number;
  status: "pending" | "active" | "expired";
  csrId: string | null;
  issued: IssuedCertificate;
  readonly uploadedAt: number;
  modifiedAt: number;
  dueAt: number | null;
}
