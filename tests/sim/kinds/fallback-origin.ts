import type { Dice } from "../dice.ts";
import type { SimService } from "../sim-service.ts";
import type { Edit } from "../wish.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, flat, type SimKind, verbOf } from "./kind.ts";

const PATH = "/custom_hostnames/fallback_origin";
/** Names that may be the fallback origin. */
export const FALLBACKS = ["fallback1.saas.net", "fallback2.saas.net"] as const;
/** A name that no YAML ever writes to. */
const ELSEWHERE = "elsewhere.saas.net";

/** What somebody else does to the fallback origin. */
export type FallbackAct = { readonly act: "fallback"; readonly origin: string };

export const fallbackOrigin: SimKind = {
  declared: ({ fallback }) => (fallback === undefined ? {} : { fallback_origin: { origin: fallback } }),
  wished: (dice: Dice): Edit => ({ edit: "fallback", as: dice.chance(0.2) ? null : dice.pick(FALLBACKS) }),
  isClaimed: ({ fallback }) => fallback !== undefined,
  ambushed: () => [{ act: "fallback", origin: ELSEWHERE }],
  editedMeanwhile: (dice) => ({ act: "fallback", origin: dice.pick(FALLBACKS) }),
  drifting: (dice) => [{ act: "fallback", origin: dice.pick(FALLBACKS) }],
  written: (request) => (pathInZone(request.url).startsWith(PATH) ? { key: "", verb: verbOf(request) } : undefined),
  idAt: (path) => (path === PATH ? "" : undefined),
  content: (service) => {
    const live = service.zone().fallbackOrigin;
    return live && live.status !== "pending_deletion" ? flat({ origin: live.origin }) : undefined;
  },
  differences: ({ service }, { fallback }) => {
    const origin = originOf(service);
    return fallback === undefined || origin === fallback
      ? []
      : [`the fallback origin is ${origin ?? "none"}, wished ${fallback}`];
  },
  drifted: (service, _object, { fallback }, leaf) => leaf("origin", fallback, originOf(service)),
  untrue: (service, { desired }) => {
    const origin = originOf(service);
    return desired && origin !== desired["origin"] ? [`the origin is ${origin ?? "none"}`] : [];
  },
};

/** Lets somebody set the fallback origin. */
export function editFallback(service: SimService, { origin }: FallbackAct): void {
  byDashboard(service, "PUT", PATH, { origin });
}

function originOf(service: SimService): string | undefined {
  return service.zone().fallbackOrigin?.origin;
}
