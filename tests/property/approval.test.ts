import fc from "fast-check";
import { expect, test } from "vitest";
import { takeApproved, type Consent } from "../../lib/approval/approve.ts";
import type { Dns, DnsAnswer } from "../../lib/core/dns.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { applyPlan } from "../../lib/engine/apply.ts";
import { applyExit } from "../../lib/engine/exit.ts";
import type { Change, Plan } from "../../lib/plan/change.ts";
import { decodePlan, encodePlan } from "../../lib/plan/file.ts";
import type { State } from "../../lib/state/state.ts";
import { changesOf, endingsOf, WITHOUT_SECRETS, openRig, type Rig, ZONE } from "../support/engine.ts";
import { storedHostname, zoneOf } from "./live.ts";

/** `npm run test:full` plays all 10,000; ZONEFORM_APPROVALS and ZONEFORM_APPROVALS_SEED choose fewer and others. */
const COUNT = Number(process.env["ZONEFORM_APPROVALS"] ?? (process.env["ZONEFORM_FULL"] ? 10_000 : 60));
const RUNS = { numRuns: COUNT, seed: Number(process.env["ZONEFORM_APPROVALS_SEED"] ?? 20261122) };
const LONGEST_MILLISECONDS = 3_600_000;

const NAMES = ["a.shop.net", "b.shop.net", "c.shop.net", "d.shop.net"] as const;
type Name = (typeof NAMES)[number];

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const HOUR_MILLISECONDS = 3_600_000;

/** What the YAML declares for a hostname; absent if it is not declared. */
interface Entry {
  readonly tier: "gold" | "silver";
  readonly tls: "1.1" | "1.2";
}
type Yaml = Readonly<Record<Name, Entry | undefined>>;

const NOTHING: Yaml = {
  "a.shop.net": undefined,
  "b.shop.net": undefined,
  "c.shop.net": undefined,
  "d.shop.net": undefined,
};

/** What happens between the approval and the apply. An event without its object does nothing. */
type Event =
  | {
      readonly what: "tier" | "tls" | "http2" | "other metadata" | "delete" | "create" | "leave" | "come back";
      readonly name: Name;
    }
  | { readonly what: "time" };

const entry = fc.option(fc.record({ tier: fc.constantFrom("gold", "silver"), tls: fc.constantFrom("1.1", "1.2") }), {
  nil: undefined,
  freq: 4,
}) satisfies fc.Arbitrary<Entry | undefined>;
const yaml: fc.Arbitrary<Yaml> = fc.record({
  "a.shop.net": entry,
  "b.shop.net": entry,
  "c.shop.net": entry,
  "d.shop.net": entry,
});
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ what: "time" } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom("tier", "tls", "http2", "other metadata", "delete", "create", "leave", "come back"),
      name: fc.constantFrom(...NAMES),
    }),
  },
);

const scenario = fc.record({
  applied: yaml,
  approved: yaml,
  /** The YAML of one hostname may change after the approval. */
  edited: fc.option(fc.record({ name: fc.constantFrom(...NAMES), to: entry }), { nil: undefined }),
  hasSettled: fc.boolean(),
  events: fc.array(event, { maxLength: 4 }),
  by: fc.constantFrom("file", "hash"),
  dns: fc.boolean(),
  again: fc.boolean(),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Somebody deletes what the plan was to delete, and creates another hostname with that name. */
const REPLACED: Scenario = {
  applied: { ...NOTHING, "c.shop.net": { tier: "gold", tls: "1.1" } },
  approved: { ...NOTHING, "b.shop.net": { tier: "gold", tls: "1.1" } },
  edited: undefined,
  hasSettled: false,
  events: [
    { what: "delete", name: "c.shop.net" },
    { what: "create", name: "c.shop.net" },
  ],
  by: "file",
  dns: false,
  again: false,
};

/** Everything that the approvals should meet, or they would prove little. */
const MET = new Set<string>();
const TO_MEET = [
  "create done",
  "update done",
  "delete done",
  "update conflict",
  "delete conflict",
  "delete of what somebody replaced",
  "create refused",
  "held held",
  "held conflict",
  "held that became active",
  "update whose ssl waits",
  "hazard gained",
  "hazard lost",
  "held carried out by its hash",
];

test(
  `of ${COUNT} approvals, everything unchanged is applied, and nothing else`,
  async () => {
    await fc.assert(fc.asyncProperty(scenario, play), { ...RUNS, examples: [[REPLACED]] });
    if (COUNT >= 1000) expect([...MET].toSorted()).toEqual(expect.arrayContaining(TO_MEET));
  },
  LONGEST_MILLISECONDS,
);

async function play(drawn: Scenario): Promise<void> {
  const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(drawn.applied) } });
  await rig.run();
  if (drawn.hasSettled) await rig.wait(HOUR_MILLISECONDS);
  rig.write("zones/a.yaml", zoneFile(drawn.approved));
  const dnsCheck = drawn.dns ? { dnsCheck: { dns: dnsOf(rig), scope: "changed" } as const } : {};
  rig.admin.dashboard("GET", HOSTNAMES);
  const plan = await rig.plan(dnsCheck);
  const oracle = oracleOf(rig, plan);
  for (const each of drawn.events) await happen(rig, each, oracle);
  if (drawn.edited) edit(rig, drawn, oracle);
  const consent: Consent = drawn.by === "file" ? { saved: await throughFile(plan) } : { expect: plan.hash };

  // A certificate that waits for its hostname gets another chance under the same approval. If nothing waits, the second
  // apply shows that doing it twice is doing it once: checking that sometimes is enough.
  const rounds = drawn.again || drawn.events.length > 0 || !drawn.hasSettled ? 2 : 1;
  for (let round = 0; round < rounds; round += 1) {
    await applyOnce(rig, plan, consent, oracle);
    await rig.wait(HOUR_MILLISECONDS);
  }
}

async function applyOnce(rig: Rig, approved: Plan, consent: Consent, oracle: Oracle): Promise<void> {
  // The service advances when it is called: now it is as the apply finds it.
  rig.admin.dashboard("GET", HOSTNAMES);
  const expected = new Map(NAMES.map((name) => [name, oracle.expected(name)]));
  const before = new Map(NAMES.map((name) => [name, liveOf(rig, name)]));
  const tracked = await rig.state();
  const replaced = NAMES.filter((name) => oracle.isReplaced(name, tracked));
  const report = await applyConsented(rig, consent);
  const after = new Map(NAMES.map((name) => [name, liveOf(rig, name)]));
  if (report === "another plan") {
    // A hash alone says nothing about its changes: so the plan has to be the same one, and nothing is done.
    expect(oracle.isSamePlan()).toBe(false);
    expect(after).toEqual(before);
    return;
  }
  expect(after).toEqual(expected);
  const waited = new Set(changesOf(approved).flatMap(({ action, key }) => (action === "held" ? [key] : [])));
  for (const { address, action, outcome } of endingsOf(report)) {
    MET.add(`${action} ${outcome.status}`);
    if (outcome.status === "refused" && outcome.refused.code === "hazard-not-approved") MET.add("hazard gained");
    const name = NAMES.find((each) => address.includes(each));
    if (name === undefined || !waited.has(name) || outcome.status !== "done") continue;
    MET.add("held that became active");
    if (consent.expect !== undefined) MET.add("held carried out by its hash");
  }
  // The object that was to be deleted is gone, and another one has its name: it stays, and the report says so.
  for (const name of replaced) {
    MET.add("delete of what somebody replaced");
    expect(report.approval?.takenOver).toContain(`custom_hostname["${name}"]`);
  }
  // A change that was approved and not applied must not end as if it were.
  const isLeft = NAMES.some((name) => oracle.isLeft(name));
  if (isLeft) expect([4, 5, 6]).toContain(applyExit(report).code);
}

async function applyConsented(
  rig: Rig,
  consent: Consent,
): Promise<Awaited<ReturnType<typeof applyPlan>> | "another plan"> {
  try {
    const { plan, approval } = await takeApproved(rig.world().store, await rig.plan(), consent);
    return await applyPlan(rig.world(), plan, {
      ...WITHOUT_SECRETS,
      parallelism: 2,
      approval,
    });
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.diagnostics[0]?.code === "another-plan") return "another plan";
    throw thrown;
  }
}

async function throughFile(plan: Plan): Promise<Plan> {
  const lines = [
    ...encodePlan({
      plan,
      endpoint: "",
      scope: { zones: [], target: [], exclude: [], deny: [], sources: {}, isDestroy: false },
    }),
  ];
  async function* streamed(): AsyncIterable<string> {
    yield* lines;
  }
  return (await decodePlan(streamed(), "plan.zfplan")).plan;
}

/** The expected hostnames: computed only from what was approved and what happened since. */
interface Oracle {
  /** Somebody, or the YAML, touched what an approval of the hostname depends on. */
  touch(name: Name, by?: "them" | "yaml"): void;
  restore(name: Name): void;
  /** The plan may differ for another reason. */
  disturb(): void;
  readonly approvedFor: (name: Name) => Change | undefined;
  /** What has to be live after an apply that begins now. */
  expected(name: Name): Live;
  isSamePlan(): boolean;
  /** Approved, touched, and not as wanted. */
  isLeft(name: Name): boolean;
  /**
   * Its deletion was approved; since then somebody deleted the object that the state knows, and created another with
   * its name.
   */
  isReplaced(name: Name, tracked: State | undefined): boolean;
}

type Live =
  | { readonly tier: unknown; readonly by: unknown; readonly tls: unknown; readonly http2: unknown }
  | undefined;

function oracleOf(rig: Rig, plan: Plan): Oracle {
  const approved = new Map(changesOf(plan).map((change) => [change.key, change]));
  const touched = new Set<string>();
  const edited = new Set<string>();
  const redeclared = new Set<string>();
  const wasActive = new Map(NAMES.map((name) => [name, zoneOf(rig).hostnames.named(name)?.status === "active"]));
  let isDisturbed = false;
  const gained = (name: Name): boolean =>
    approved.get(name)?.action === "delete" && !wasActive.get(name) && isOutage(rig, name);
  const lost = (name: Name): boolean =>
    approved.get(name)?.action === "delete" && wasActive.get(name) === true && !isOutage(rig, name);
  const isUnmade = (name: Name): boolean =>
    approved.get(name)?.action === "create" && touched.has(name) && !liveOf(rig, name) && isDeclared(rig, name);
  const wanted = (change: Change, live: Live, isSettled = change.action === "create"): Live => {
    if (change.action === "delete") return undefined;
    const leaf = (path: string): unknown =>
      [...change.leaves, ...(change.held?.leaves ?? [])].find((each) => each.path.join(".") === path)?.after;
    // While a validation is under way, changes of the certificate are held.
    const isFree = isSettled || !isUnderWay(rig, change.key);
    const tls = isFree ? leaf("ssl.settings.min_tls_version") : undefined;
    const start = live ?? { tier: undefined, by: undefined, tls: undefined, http2: undefined };
    return { ...start, tier: leaf("custom_metadata.tier") ?? start.tier, tls: tls ?? start.tls };
  };
  return {
    touch: (name, by = "them") => {
      touched.add(name);
      if (by === "them") edited.add(name);
      else redeclared.add(name);
      isDisturbed = true;
    },
    restore: (name) => {
      touched.delete(name);
      edited.delete(name);
    },
    disturb: () => {
      isDisturbed = true;
    },
    approvedFor: (name) => approved.get(name),
    expected: (name) => {
      const change = approved.get(name);
      const live = liveOf(rig, name);
      if (change && lost(name)) MET.add("hazard lost");
      if (!change || touched.has(name) || gained(name)) return live;
      // A renamed hostname is a new one and an old one: the old one stays if the approved new one is not created.
      if (change.action === "delete" && NAMES.some(isUnmade)) return live;
      if (change.action === "create" && live !== undefined) return live;
      if (change.action !== "create" && live === undefined) return live;
      if (change.action !== "delete" && change.action !== "create" && isUnderWay(rig, name))
        MET.add("update whose ssl waits");
      return wanted(change, live);
    },
    isSamePlan: () => !isDisturbed && !NAMES.some((name) => gained(name) || lost(name)),
    isLeft: (name) => {
      const change = approved.get(name);
      // What the YAML changed since may be nothing at all.
      if (!change || !edited.has(name) || redeclared.has(name) || change.action === "create") return false;
      const live = liveOf(rig, name);
      // The approval of a deletion covers the object that was seen, and no other one with its name.
      if (change.action === "delete") return idOf(rig, name) === change.id;
      return JSON.stringify(live) !== JSON.stringify(live && wanted(change, live, true));
    },
    isReplaced: (name, tracked) => {
      const change = approved.get(name);
      const [id, known] = [idOf(rig, name), tracked?.objects.get(`custom_hostname["${name}"]`)?.id];
      return (
        change?.action === "delete" && !isDeclared(rig, name) && id !== undefined && known !== undefined && id !== known
      );
    },
  };
}

function isOutage(rig: Rig, name: Name): boolean {
  return zoneOf(rig).hostnames.named(name)?.status === "active";
}

/**
 * Whether a validation or a deployment is under way: a hostname that is active, moved away or timed out takes a change
 * of `ssl`.
 */
function isUnderWay(rig: Rig, name: string): boolean {
  const record = zoneOf(rig).hostnames.named(name);
  const states = [record?.status, record?.ssl?.status].map(String);
  return states.some((state) => /^(initializing|active_redeploying|pending.*)$/.test(state));
}

function isDeclared(rig: Rig, name: Name): boolean {
  return rig.read("zones/a.yaml").includes(name);
}

function idOf(rig: Rig, name: Name): string | undefined {
  return zoneOf(rig).hostnames.named(name)?.id;
}

function liveOf(rig: Rig, name: Name): Live {
  const stored = storedHostname(rig, name);
  if (!stored) return undefined;
  const at = (...path: readonly string[]): unknown => {
    let value: unknown = stored;
    for (const part of path) value = typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined;
    return value;
  };
  return {
    tier: at("custom_metadata", "tier"),
    by: at("custom_metadata", "by"),
    tls: at("ssl", "settings", "min_tls_version"),
    http2: at("ssl", "settings", "http2"),
  };
}

/** Does the foreign act, and tells the oracle whether it affects an approval. */
async function happen(rig: Rig, event: Event, oracle: Oracle): Promise<void> {
  if (event.what === "time") return rig.wait(HOUR_MILLISECONDS);
  const { what, name } = event;
  const record = zoneOf(rig).hostnames.named(name);
  const change = oracle.approvedFor(name);
  const patch = (body: object): void => send(rig, "PATCH", `${HOSTNAMES}/${record?.id ?? ""}`, body);
  switch (what) {
    case "leave":
      rig.admin.setDns(name, { cname: "elsewhere.example" });
      return;
    case "come back":
      rig.admin.setDns(name, { cname: ZONE.name });
      return;
    case "create":
      if (record) return;
      send(rig, "POST", HOSTNAMES, { hostname: name, custom_metadata: { by: "them" }, ssl: sslOf("1.0") });
      oracle.touch(name);
      return;
    case "delete":
      if (!record) return;
      send(rig, "DELETE", `${HOSTNAMES}/${record.id}`);
      // What was to be created, and somebody created meanwhile, is as before once that is gone again.
      if (change?.action === "create") oracle.restore(name);
      else oracle.touch(name);
      return;
    case "tier":
    case "other metadata":
      if (!record) return;
      patch({
        custom_metadata: { ...record.customMetadata, ...(what === "tier" ? { tier: "theirs" } : { by: "them" }) },
      });
      // Another key of the metadata is unmanaged: the approval of `tier` still counts.
      if (change && (what === "tier" || change.action === "delete")) oracle.touch(name);
      else if (what === "tier") oracle.disturb();
      return;
    case "tls":
    case "http2":
      if (!record?.ssl) return;
      patch({ ssl: { ...sslOf("1.3"), settings: settingsOf(record, what) } });
      // `http2` is unmanaged: an edit of `ssl` sends it as the read before the write shows it.
      if (change && (what === "tls" || change.action === "delete")) oracle.touch(name);
      else if (what === "tls") oracle.disturb();
      return;
    default:
      return what satisfies never;
  }
}

type HostnameRecord = NonNullable<ReturnType<ReturnType<typeof zoneOf>["hostnames"]["named"]>>;

function settingsOf(record: HostnameRecord, what: "tls" | "http2"): object {
  const settings = { ...record.ssl?.settings };
  return what === "tls" ? { ...settings, min_tls_version: "1.3" } : { ...settings, http2: "off" };
}

function send(rig: Rig, method: string, path: string, body?: object): void {
  const answer = rig.admin.dashboard(method, path, body === undefined ? undefined : JSON.parse(JSON.stringify(body)));
  expect(answer.status, answer.body).toBeLessThan(300);
}

/** The YAML of one hostname changes: what was approved of it is now another change, or none. */
function edit(rig: Rig, { approved, edited }: Scenario, oracle: Oracle): void {
  if (!edited || JSON.stringify(approved[edited.name]) === JSON.stringify(edited.to)) return;
  rig.write("zones/a.yaml", zoneFile({ ...approved, [edited.name]: edited.to }));
  oracle.touch(edited.name, "yaml");
}

function sslOf(tls: string): object {
  return { method: "http", type: "dv", settings: { min_tls_version: tls, http2: "on" } };
}

function zoneFile(entries: Yaml): object {
  const declared = NAMES.flatMap((hostname) => {
    const wanted = entries[hostname];
    const ssl = { method: "http", type: "dv", settings: { min_tls_version: wanted?.tls } };
    return wanted ? [{ hostname, custom_metadata: { tier: wanted.tier }, ssl }] : [];
  });
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries: declared } };
}

/** DNS as the service's outside world has it: its answers are findings, and not part of what is approved. */
function dnsOf(rig: Rig): Dns {
  const aliasOf = (name: string): DnsAnswer<string> => {
    const cname = rig.service.core.world.dns.get(name)?.cname;
    return cname === undefined ? { status: "not-found" } : { status: "found", records: [cname] };
  };
  return {
    resolveCname: async (name) => aliasOf(name),
    resolveCaa: async () => ({ status: "not-found" }),
    resolveAddresses: async () => ({ status: "no-answer" }),
  };
}
