import type { Change } from "../../../lib/plan/change.ts";
import type { Dice } from "../dice.ts";
import type { Stage } from "../engine-run.ts";
import type { SimService } from "../sim-service.ts";
import type { Edit, Wish } from "../wish.ts";
import type { Write } from "../writes.ts";
import { pathInZone } from "../zones.ts";
import { after, bodyOf, flat, type Judged, type Seen, type SimKind, verbOf } from "./kind.ts";

/** Hosts of certificate packs, in order. */
export const PACKS = ["*.saas.net,saas.net", "saas.net,shop.saas.net"] as const;
/** Authorities that packs may name. */
export const PACK_AUTHORITIES = ["google", "lets_encrypt"] as const;

const PATH = "/ssl/certificate_packs";
const ORDER = `${PATH}/order`;

export const certificatePack: SimKind = {
  declared: ({ packs }) =>
    packs.size > 0 ? { certificate_packs: [...packs].map(([hosts, authority]) => packEntry(hosts, authority)) } : {},
  wished: (dice: Dice): Edit => ({
    edit: "pack",
    hosts: dice.pick(PACKS),
    as: dice.chance(0.25) ? null : dice.pick(PACK_AUTHORITIES),
  }),
  sharesKeys: true,
  // Nobody can edit a pack in the dashboard so that the YAML notices.
  ambushed: () => [],
  editedMeanwhile: () => undefined,
  drifting: () => [],
  written: (request, names) => {
    const path = pathInZone(request.url);
    if (path === ORDER) {
      const { hosts } = bodyOf(request);
      return { key: hostsKey(Array.isArray(hosts) ? hosts.map(String) : []), verb: "create" };
    }
    const id = after(`${PATH}/`, path);
    return id === undefined ? undefined : { key: names.get(id) ?? "", verb: verbOf(request), id };
  },
  idAt: (path) => (path === PATH || path === ORDER ? "" : after(`${PATH}/`, path)),
  // A replacement is ordered beside the pack that it replaces; any other order has to know all packs.
  overwritten: ({ verb, id = "" }, _request, change) => {
    if (verb !== "create") return `certificate_pack ${id}`;
    return change?.action === "replace" ? undefined : "certificate_pack";
  },
  list: PATH,
  createdAt: ORDER,
  live: (service) => truePacks(service).map(({ id, hosts }) => ({ id, name: hosts })),
  content: (service, id) => {
    if (id === "") return {};
    const pack = service.zone().packs.get(id);
    return pack && flat({ hosts: [...pack.hosts], authority: pack.chosenAuthority });
  },
  differences,
  drifted: (service, { id, key }, { packs }) =>
    packs.has(key) && !truePacks(service).some((pack) => pack.id === id) ? [`the pack of ${key} is gone`] : [],
  // The service issues a pack long after its order.
  untrue: () => [],
  judgeWrite: (judged, write) => {
    if (write.verb === "delete") judgeDeletion(judged, write);
  },
  changedSincePlan: () => [],
};

function packEntry(
  hosts: string,
  authority: string,
): {
  readonly hosts: readonly string[];
  readonly certificate_authority: string;
  readonly validation_method: string;
  readonly validity_days: number;
} {
  return {
    hosts: hosts.split(","),
    certificate_authority: authority,
    validation_method: "txt",
    validity_days: 90,
  };
}

/** A certificate pack that somebody ordered, as the service keeps it. */
interface TruePack {
  readonly id: string;
  /** Its hosts in order, separated by commas. */
  readonly hosts: string;
  readonly authority: string;
  readonly isActive: boolean;
}

/** The packs that serve, or will serve. */
function truePacks(service: SimService): readonly TruePack[] {
  return [...service.zone().packs.values()]
    .filter(({ type, status }) => type === "advanced" && !["deleted", "pending_deletion", "expired"].includes(status))
    .map(({ id, hosts, chosenAuthority, status }) => ({
      id,
      hosts: hostsKey(hosts),
      authority: chosenAuthority,
      isActive: status === "active",
    }));
}

/** The key of a pack with these hosts. */
function hostsKey(hosts: readonly string[]): string {
  return hosts.toSorted().join(",");
}

function differences({ service }: Stage, { packs }: Wish, { refused }: Seen): readonly string[] {
  const found: string[] = [];
  for (const hosts of new Set([...packs.keys(), ...truePacks(service).map((pack) => pack.hosts)])) {
    const live = truePacks(service).filter((pack) => pack.hosts === hosts && !refused.has(pack.id));
    const wished = packs.get(hosts);
    const isAs = live.length === (wished === undefined ? 0 : 1) && live.every(({ authority }) => authority === wished);
    if (!isAs && !refused.has(hosts))
      found.push(`the packs of ${hosts} are ${JSON.stringify(live)}, wished ${wished ?? "none"}`);
  }
  return found;
}

/** A replaced pack serves until its successor does, unless neither is wanted any more. */
function judgeDeletion({ service, ledger, wish, change }: Judged, { key, id }: Write): void {
  const serving = truePacks(service).filter(({ hosts, isActive }) => hosts === key && isActive);
  if (isReplaced(change, wish, key) && serving.length === 1 && serving[0]?.id === id)
    ledger.blame("I5", `deletes the pack of ${key}, and no successor serves`);
}

function isReplaced(change: Change | undefined, { packs }: Wish, key: string): boolean {
  return change?.action === "replace" || (change?.key.includes("#") === true && packs.has(key));
}
