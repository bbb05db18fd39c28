import type { JsonObject } from "../../../lib/core/json.ts";
import type { Dice } from "../dice.ts";
import type { SimService } from "../sim-service.ts";
import type { WishedHold } from "../wish.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, flat, plannedLeaves, type SimKind } from "./kind.ts";

const PATH = "/hold";
const DAY_MILLISECONDS = 86_400_000;
/** Longer than any seed lasts: no act would explain a hold that comes back by itself in the middle of a request. */
const SUSPENDED_DAYS = 90;

/** What somebody else does to the hold of a zone. */
export type HoldAct =
  | { readonly act: "hold"; readonly subdomains: boolean }
  | { readonly act: "release-hold" }
  /** A hold that is set does not hold until then, by the service's own clock. */
  | { readonly act: "suspend-hold"; readonly days: number };

export const zoneHold: SimKind = {
  declared: ({ hold }) => (hold ? { zone_hold: holdEntry(hold) } : {}),
  wished: (dice, { isGone }) => {
    const hold = dice.chance(0.7);
    return { edit: "hold", as: isGone ? null : { hold, subdomains: hold && dice.chance(0.5) } };
  },
  ambushed: (dice) => [holdEdit(dice)],
  editedMeanwhile: holdEdit,
  drifting: (dice) => [holdEdit(dice)],
  // A DELETE releases a hold, which stays the zone's.
  written: ({ url }) => (pathInZone(url) === PATH ? { key: "", verb: "change" } : undefined),
  idAt: (path) => (path === PATH ? "" : undefined),
  content: (service) => {
    const { hold, subdomains, after } = trueHold(service);
    return flat(hold ? { hold, include_subdomains: subdomains, hold_after: after } : { hold });
  },
  differences: ({ service }, { hold }, { refused }) => {
    const live = trueHold(service);
    const isAs = !hold || (hold.hold === live.hold && (!hold.hold || hold.subdomains === live.subdomains));
    return isAs || refused.has("zone_hold")
      ? []
      : [`the hold is ${JSON.stringify(live)}, wished ${JSON.stringify(hold)}`];
  },
  drifted: (service, _object, { hold }, leaf) => leaf("hold", hold?.hold, trueHold(service).hold),
  untrue: (service, { desired }) => {
    const live = trueHold(service);
    return desired && isOther(desired, live) ? [`the hold is ${JSON.stringify(live)}`] : [];
  },
  // Releasing a hold deletes all of it.
  owned: (overwriting) => (overwriting.change?.desired?.["hold"] === false ? () => true : plannedLeaves(overwriting)),
};

function holdEntry({ hold, subdomains }: WishedHold): JsonObject {
  return hold ? { hold, include_subdomains: subdomains } : { hold };
}

/** Sets, changes, suspends or releases the hold. */
export function holdEdit(dice: Dice): HoldAct {
  return dice.pick<HoldAct>([
    { act: "hold", subdomains: false },
    { act: "hold", subdomains: true },
    { act: "suspend-hold", days: SUSPENDED_DAYS },
    { act: "release-hold" },
  ]);
}

/** Lets somebody set, suspend or release the hold. */
export function editHold(service: SimService, act: HoldAct): void {
  switch (act.act) {
    case "hold":
      // A hold that is set already changes only its names below the zone.
      if (trueHold(service).hold) byDashboard(service, "PATCH", PATH, { include_subdomains: act.subdomains });
      else byDashboard(service, "POST", `${PATH}?include_subdomains=${String(act.subdomains)}`);
      return;
    case "release-hold":
      byDashboard(service, "DELETE", PATH);
      return;
    case "suspend-hold": {
      // In whole seconds, as everybody writes it.
      const until = `${new Date(service.now() + act.days * DAY_MILLISECONDS).toISOString().slice(0, 19)}Z`;
      byDashboard(service, "PATCH", PATH, { hold_after: until });
      return;
    }
    default:
      act satisfies never;
  }
}

/** The hold of the zone, as the service keeps it. */
interface TrueHold {
  /** Also true if it is suspended: it comes back by itself. */
  readonly hold: boolean;
  readonly subdomains: boolean;
  /** The end of its suspension, in milliseconds since the epoch. */
  readonly after: number | null;
}

function trueHold(service: SimService): TrueHold {
  const { held, includeSubdomains, after } = service.zone().hold;
  return { hold: held || after !== null, subdomains: includeSubdomains, after };
}

function isOther({ hold, include_subdomains: subdomains }: JsonObject, live: TrueHold): boolean {
  return hold !== live.hold || (live.hold && subdomains !== undefined && subdomains !== live.subdomains);
}
