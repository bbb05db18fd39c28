import type { Dice } from "../dice.ts";
import type { SimService } from "../sim-service.ts";
import type { Edit } from "../wish.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, flat, type SimKind, verbOf } from "./kind.ts";

const PATH = "/acm/total_tls";

/** What somebody else does to Total TLS. */
export type TotalTlsAct = { readonly act: "total-tls"; readonly enabled: boolean; readonly authority?: string };

export const totalTls: SimKind = {
  declared: ({ totalTls: wished }) =>
    wished ? { total_tls: { enabled: wished.enabled, certificate_authority: wished.authority } } : {},
  wished: (dice: Dice): Edit => ({
    edit: "total-tls",
    as: dice.chance(0.2) ? null : { enabled: dice.chance(0.6), authority: "google" },
  }),
  isClaimed: ({ totalTls: wished }) => wished !== undefined,
  ambushed: (dice) => [{ act: "total-tls", enabled: dice.chance(0.5), authority: "lets_encrypt" }],
  editedMeanwhile: (dice) => ({ act: "total-tls", enabled: dice.chance(0.5) }),
  drifting: (dice) => [{ act: "total-tls", enabled: dice.chance(0.5) }],
  written: (request) => (pathInZone(request.url) === PATH ? { key: "", verb: verbOf(request) } : undefined),
  idAt: (path) => (path === PATH ? "" : undefined),
  content: (service) => {
    const { enabled, authority } = service.zone().totalTls;
    return flat({ enabled, authority });
  },
  differences: ({ service }, { totalTls: wished }) => {
    const { enabled } = service.zone().totalTls;
    return !wished || enabled === wished.enabled
      ? []
      : [`Total TLS is ${String(enabled)}, wished ${String(wished.enabled)}`];
  },
  drifted: (service, _object, { totalTls: wished }, leaf) =>
    leaf("enabled", wished?.enabled, service.zone().totalTls.enabled),
  untrue: (service, { desired }) => {
    const { enabled } = service.zone().totalTls;
    return desired && enabled !== desired["enabled"] ? [`Total TLS is ${String(enabled)}`] : [];
  },
};

/** Lets somebody set Total TLS. */
export function editTotalTls(service: SimService, { enabled, authority = "google" }: TotalTlsAct): void {
  byDashboard(service, "POST", PATH, { enabled, certificate_authority: authority });
}
