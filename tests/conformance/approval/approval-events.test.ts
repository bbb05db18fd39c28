import { expect, test } from "vitest";
import { takeApproved } from "../../../lib/approval/approve.ts";
import type { Random } from "../../../lib/core/clock.ts";
import { applyPlan } from "../../../lib/engine/apply.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import {
  changesOf,
  dnsRecords,
  endingsOf,
  WITHOUT_SECRETS,
  openRig,
  type Rig,
  seededRandom,
  ZONE,
} from "../../support/engine.ts";

/** A thousand changes are approved; in addition there are hostnames that the plan does not touch. */
const NAMES = {
  updated: names("updated", 700),
  created: names("created", 200),
  deleted: names("deleted", 100),
  unchanged: names("unchanged", 300),
  nobodys: names("nobodys", 10),
};
/** `npm run test:full` uses more seeds. */
const SEEDS = process.env["ZONEFORM_FULL"] ? [1, 2, 3, 4, 5] : [1];
/** How many of the 33 events come before the run reads the zone; the others come while it writes. */
const EARLY_EVENTS = 22;
/** An apply of these changes sends slightly more requests than this. */
const REQUESTS = 1700;
const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;

/** The parts of a live hostname that this test compares; undefined if there is none. */
type Live = { readonly tier?: unknown; readonly by?: unknown; readonly origin: string | null } | undefined;

/** Something that somebody does to this many hostnames of one sort. */
interface Deed {
  readonly on: keyof typeof NAMES;
  readonly times: number;
  /** Returns false if it is too late, because the run was faster. */
  readonly act: (rig: Rig, name: string) => boolean;
  /** What has to be live at the end, whatever was approved. */
  readonly leaves: (live: Live) => boolean;
}

/** Edits of planned objects, in planned fields and in others; edits of other objects; creations; deletions. */
const DEEDS: readonly Deed[] = [
  { on: "updated", times: 8, act: setMetadata({ tier: "theirs" }), leaves: (live) => live?.tier === "theirs" },
  { on: "updated", times: 3, act: remove, leaves: (live) => live === undefined },
  // A foreign edit of an undeclared field is no reason to skip the approved change.
  {
    on: "updated",
    times: 3,
    act: setMetadata({ by: "them" }),
    leaves: (live) => live?.by === "them" && live.tier === "gold",
  },
  {
    on: "updated",
    times: 2,
    act: setOrigin,
    leaves: (live) => live?.origin === "origin1.saas.net" && live.tier === "gold",
  },
  { on: "deleted", times: 3, act: setMetadata({ by: "them" }), leaves: (live) => live?.by === "them" },
  { on: "deleted", times: 2, act: remove, leaves: (live) => live === undefined },
  { on: "created", times: 3, act: create, leaves: (live) => live?.by === "them" && live.tier === undefined },
  { on: "unchanged", times: 3, act: setMetadata({ tier: "theirs" }), leaves: (live) => live?.tier === "theirs" },
  { on: "unchanged", times: 2, act: remove, leaves: (live) => live === undefined },
  { on: "nobodys", times: 4, act: create, leaves: (live) => live?.by === "them" },
];

/** One event on one hostname. */
interface Happening {
  readonly deed: Deed;
  readonly name: string;
}

test.each(SEEDS)(
  "with 1,000 approved changes and 33 foreign events, unchanged ones are applied, and nothing unapproved (seed %i)",
  async (seed) => {
    const random = seededRandom(seed);
    const rig = await appliedRig();
    rig.write("zones/a.yaml", zoneFile(NAMES.updated, [...NAMES.created, ...NAMES.unchanged]));
    const saved = await rig.plan();
    expect(changesOf(saved)).toHaveLength(1000);

    const drawn = drawHappenings(random);
    expect(drawn).toHaveLength(33);
    const [early, late] = [drawn.slice(0, EARLY_EVENTS), drawn.slice(EARLY_EVENTS)];
    const happened = early.filter(({ deed, name }) => deed.act(rig, name));
    editConfiguration(rig, drawn);

    const before = allLive(rig);
    const { isDone, happenedLate } = await applyApproved(rig, saved, late, random);
    const after = allLive(rig);
    happened.push(...happenedLate);

    const touched = new Set(happened.map(({ name }) => name));
    expect(missed(after, touched)).toEqual([]);
    expect(happened.filter(({ deed, name }) => !deed.leaves(after.get(name))).map(inBrief)).toEqual([]);
    const approved = new Set(changesOf(saved).map(({ key }) => key));
    const lateNames = new Set(happenedLate.map(({ name }) => name));
    const changed = [...NAMES_AND_MORE].filter((name) => !same(before.get(name), after.get(name)));
    expect(changed.filter((name) => !approved.has(name) && !lateNames.has(name))).toEqual([]);
    expect([...isDone].filter((name) => !approved.has(name))).toEqual([]);
    expect(happened.length).toBeGreaterThan(30);
  },
  120_000,
);

/** Hostnames that only the configuration at apply declares, and nobody has approved. */
const UNAPPROVED = names("unapproved", 10);
const NAMES_AND_MORE: readonly string[] = [...Object.values(NAMES).flat(), ...UNAPPROVED];

function names(sort: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_item, index) => `${sort}-${index}.net`);
}

async function appliedRig(): Promise<Rig> {
  const live = [...NAMES.updated, ...NAMES.deleted, ...NAMES.unchanged];
  const ssl = { type: "dv", method: "http" };
  const rig = openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      custom_hostnames: live.map((hostname) => ({ hostname, custom_metadata: { tier: "silver" }, ssl })),
    },
    files: { "zones/a.yaml": zoneFile([], live) },
  });
  await rig.run();
  return rig;
}

function zoneFile(gold: readonly string[], silver: readonly string[]): object {
  const entries = (tier: string, hostnames: readonly string[]): readonly object[] =>
    hostnames.map((hostname) => ({ hostname, custom_metadata: { tier }, ssl: { type: "dv", method: "http" } }));
  return {
    version: 1,
    zone: ZONE,
    custom_hostnames: { lifecycle: "zoneform", entries: [...entries("gold", gold), ...entries("silver", silver)] },
  };
}

/** Draws the events, one at most for each hostname, in random order. */
function drawHappenings(random: Random): readonly Happening[] {
  const taken = new Set<string>();
  const draw = (deed: Deed): Happening => {
    const name = NAMES[deed.on][Math.floor(random.fraction() * NAMES[deed.on].length)] ?? "";
    if (taken.has(name)) return draw(deed);
    taken.add(name);
    return { deed, name };
  };
  const drawn = DEEDS.flatMap((deed) => Array.from({ length: deed.times }, () => draw(deed)));
  return drawn
    .map((happening) => ({ happening, place: random.fraction() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ happening }) => happening);
}

function inBrief({ deed, name }: Happening): string {
  return `${name}: ${String(deed.leaves)}`;
}

/** The configuration changes after the approval: it adds some hostnames and edits others. */
function editConfiguration(rig: Rig, drawn: readonly Happening[]): void {
  const untouched = NAMES.unchanged.filter((name) => drawn.every((each) => each.name !== name));
  const edited = new Set(untouched.slice(0, UNAPPROVED.length));
  const silver = [...NAMES.created, ...NAMES.unchanged.filter((name) => !edited.has(name)), ...UNAPPROVED];
  rig.write("zones/a.yaml", zoneFile([...NAMES.updated, ...edited], silver));
}

/**
 * Plans again and applies what was approved, as `zoneform apply p.zfplan` does. Returns the addresses of the changes
 * that were done.
 */
async function applyApproved(
  rig: Rig,
  saved: Plan,
  late: readonly Happening[],
  random: Random,
): Promise<{ isDone: ReadonlySet<string>; happenedLate: readonly Happening[] }> {
  const { store } = rig.world();
  const { plan, approval } = await takeApproved(store, await rig.plan(), { saved });
  const moments = late.map((happening) => ({ happening, at: 1 + Math.floor(random.fraction() * REQUESTS) }));
  const happenedLate: Happening[] = [];
  rig.network((_request, index, pass) => {
    for (const { happening, at } of moments)
      if (at === index && happening.deed.act(rig, happening.name)) happenedLate.push(happening);
    return pass();
  });
  const report = await applyPlan(rig.world(), plan, {
    ...WITHOUT_SECRETS,
    parallelism: 4,
    approval,
  });
  const keys = new Map(changesOf(plan).map(({ address, key }) => [address, key]));
  const done = endingsOf(report).filter(({ outcome }) => outcome.status === "done");
  return { isDone: new Set(done.map(({ address }) => keys.get(address) ?? address)), happenedLate };
}

/** Approved changes that no event touched, and that are not live. */
function missed(after: ReadonlyMap<string, Live>, touched: ReadonlySet<string>): readonly string[] {
  const isWanted = (name: string, tier: string | undefined): boolean => after.get(name)?.tier === tier;
  return [
    ...NAMES.updated.filter((name) => !isWanted(name, "gold")),
    ...NAMES.created.filter((name) => !isWanted(name, "silver")),
    ...NAMES.deleted.filter((name) => after.has(name)),
  ].filter((name) => !touched.has(name));
}

function zoneOf(rig: Rig): NonNullable<ReturnType<Rig["service"]["core"]["store"]["zones"]["get"]>> {
  return rig.service.core.store.zones.get(ZONE.id) ?? expect.fail("the rig has its zone");
}

function allLive(rig: Rig): ReadonlyMap<string, Live> {
  return new Map(
    zoneOf(rig)
      .hostnames.all()
      .map(({ hostname, customMetadata, customOriginServer }) => [
        hostname,
        { ...customMetadata, origin: customOriginServer },
      ]),
  );
}

function same(left: Live, right: Live): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Adds to the present metadata: the service replaces metadata as a whole. */
function setMetadata(added: Readonly<Record<string, string>>): Deed["act"] {
  return (rig, name) => {
    const before = zoneOf(rig).hostnames.named(name)?.customMetadata;
    return before !== undefined && edit(rig, name, { custom_metadata: { ...before, ...added } });
  };
}

function setOrigin(rig: Rig, name: string): boolean {
  return edit(rig, name, { custom_origin_server: "origin1.saas.net" });
}

function edit(rig: Rig, name: string, body: object): boolean {
  return send(rig, "PATCH", name, body);
}

function remove(rig: Rig, name: string): boolean {
  return send(rig, "DELETE", name);
}

function send(rig: Rig, method: string, name: string, body?: object): boolean {
  const id = zoneOf(rig).hostnames.named(name)?.id;
  return id !== undefined && accepted(rig, method, `${HOSTNAMES}/${id}`, body);
}

function create(rig: Rig, hostname: string): boolean {
  if (zoneOf(rig).hostnames.named(hostname)) return false;
  return accepted(rig, "POST", HOSTNAMES, {
    hostname,
    custom_metadata: { by: "them" },
    ssl: { type: "dv", method: "http" },
  });
}

function accepted(rig: Rig, method: string, path: string, body?: object): boolean {
  const answer = rig.admin.dashboard(method, path, body === undefined ? undefined : JSON.parse(JSON.stringify(body)));
  expect(answer.status, answer.body).toBeLessThan(300);
  return true;
}
