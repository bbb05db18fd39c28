import fc from "fast-check";
import { expect, test } from "vitest";
import { objects, optionalObject, optionalText } from "../../lib/core/decode.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { driftExit } from "../../lib/engine/exit.ts";
import { findDrift } from "../../lib/engine/drift.ts";
import { dnsRecords, endingsOf, FALLBACK, openRig, type Rig, ZONE } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { zoneOf } from "./live.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PHASE = "http_request_firewall_custom";
const RULESET = `ruleset["${PHASE}"]`;
const LEVEL = 'zone_setting["security_level"]';
const OUR_REFS = ["ours/1", "ours/2", "ours/3"];
const NAMES = ["a.one.net", "b.two.net", "c.three.net"];
const TIERS = ["gold", "silver", "bronze"];
const ORIGINS = ["origin1.saas.net", "origin2.saas.net"];
const TLS = ["1.0", "1.2", "1.3"];
const ACTIONS = ["block", "log", "managed_challenge"];
const HOSTS = ['http.host eq "a.one.net"', 'http.host eq "b.two.net"'];
const FALLBACKS = [FALLBACK, "fallback2.saas.net"];
const LEVELS = ["low", "medium", "high"];

/** The values of one object, flat. */
type Values = Readonly<Record<string, string>>;
/** Objects by their addresses. */
type Objects = ReadonlyMap<string, Values>;

interface Rule {
  readonly ref: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
}

interface Yaml {
  hostnames: readonly { hostname: string; tier: string; origin: string; tls: string }[];
  rules: readonly Rule[];
  fallback: string;
  totalTls: boolean;
  level: string;
}

const ACTS = [
  "edit hostname",
  "edit hostname",
  "delete hostname",
  "create hostname",
  "move hostname",
  "return hostname",
  "lose hostname",
  "lose hostname",
  "lose hostname",
  "edit rule",
  "switch rule",
  "delete rule",
  "swap rules",
  "add foreign rule",
  "edit setting",
  "yaml hostname",
  "yaml entry",
  "yaml rule",
  "apply",
  "apply",
  "killed apply",
  "hour",
  "day",
  "days",
] as const;

/** One step of a story; the numbers choose what it is done to, and what with. */
const step = fc.record({ act: fc.constantFrom(...ACTS), which: fc.nat(5), what: fc.nat(5) });

function of<T>(values: readonly T[], index: number): T {
  const found = values[index % values.length];
  if (found === undefined) throw new Error("nothing to choose from");
  return found;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "boolean" ? `${value}` : "none";
}

function addressOf(hostname: string): string {
  return `custom_hostname["${hostname}"]`;
}

function isOurs({ ref }: Rule): boolean {
  return ref.startsWith("ours/");
}

/** Our rules field by field, their order, and whether a foreign one is in front of any of them. */
function rulesetValues(rules: readonly Rule[]): Values {
  const ours = rules.filter(isOurs);
  return {
    ...Object.fromEntries(
      ours.flatMap(({ ref, action, expression, enabled }) => [
        [`${ref} action`, action],
        [`${ref} expression`, expression],
        [`${ref} enabled`, String(enabled)],
      ]),
    ),
    order: ours.map(({ ref }) => ref).join(" "),
    place: rules.slice(0, ours.length).every(isOurs) ? "first" : "behind others",
  };
}

/** What the YAML sets, object by object. */
function declaredBy({ hostnames, rules, fallback, totalTls, level }: Yaml): Objects {
  return new Map<string, Values>([
    ...hostnames.map(({ hostname, ...values }): [string, Values] => [addressOf(hostname), values]),
    [RULESET, rulesetValues(rules)],
    ["fallback_origin", { origin: fallback }],
    ["total_tls", { enabled: String(totalTls) }],
    [LEVEL, { value: level }],
  ]);
}

function zoneFile({ hostnames, rules, fallback, totalTls, level }: Yaml): object {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: fallback },
    custom_hostnames: {
      lifecycle: "zoneform",
      foreign: "ignore",
      entries: hostnames.map(({ hostname, tier, origin, tls }) => ({
        hostname,
        custom_origin_server: origin,
        custom_metadata: { tier },
        ssl: { method: "http", type: "dv", settings: { min_tls_version: tls } },
      })),
    },
    entry_points: { [PHASE]: { own: ["ours/"], adopt: true, place: "first", rules } },
    total_tls: { enabled: totalTls },
    zone_settings: { security_level: { value: level } },
  };
}

const FIRST: Yaml = {
  hostnames: NAMES.slice(0, 2).map((hostname) => ({ hostname, tier: "gold", origin: of(ORIGINS, 0), tls: "1.2" })),
  rules: OUR_REFS.slice(0, 2).map((ref) => ({ ref, action: "block", expression: of(HOSTS, 0), enabled: true })),
  fallback: FALLBACK,
  totalTls: true,
  level: "medium",
};

function openZone(): Rig {
  const rig = openRig({
    zone: {
      plan: "enterprise",
      validation: "world",
      dns_records: dnsRecords(),
      rulesets: [{ phase: PHASE, rules: [{ ref: "theirs", action: "log", expression: "true" }] }],
    },
    files: { "zones/a.yaml": zoneFile(FIRST) },
  });
  for (const name of NAMES) rig.admin.setDns(name, { cname: FALLBACK });
  return rig;
}

/** Somebody who works in the dashboard, and sees everything that the service has. */
function dashboardOf(rig: Rig) {
  const call = (method: string, path: string, body?: JsonObject): JsonObject => {
    const { body: answer } = rig.admin.dashboard(
      method,
      `/zones/${ZONE.id}/${path}`,
      body && JSON.parse(JSON.stringify(body)),
    );
    return answer === "" ? {} : JSON.parse(answer);
  };
  const entryPoint = `rulesets/phases/${PHASE}/entrypoint`;
  const rules = (): readonly Rule[] =>
    objects({ ...optionalObject(call("GET", entryPoint), "result") }, "rules").map((rule) => ({
      ref: optionalText(rule, "ref") ?? "",
      action: optionalText(rule, "action") ?? "",
      expression: optionalText(rule, "expression") ?? "",
      enabled: rule["enabled"] === true,
    }));
  const hostname = (name: string): ReturnType<ReturnType<typeof zoneOf>["hostnames"]["named"]> =>
    zoneOf(rig).hostnames.named(name);
  const value = (path: string, field: string): string => textOf(optionalObject(call("GET", path), "result")?.[field]);
  return {
    call,
    hostname,
    rules,
    editRules: (edit: (rules: readonly Rule[]) => readonly Rule[]): void => {
      call("PUT", entryPoint, { rules: edit(rules()).map((rule) => ({ ...rule })) });
    },
    /** Everything that is live, object by object. */
    live: (): Objects =>
      new Map<string, Values>([
        ...zoneOf(rig)
          .hostnames.all()
          .map(({ id, hostname: name, customMetadata, customOriginServer, ssl }): [string, Values] => [
            addressOf(name),
            {
              id,
              tier: textOf(customMetadata?.["tier"]),
              origin: customOriginServer ?? "none",
              tls: textOf(ssl?.settings["min_tls_version"]),
            },
          ]),
        [RULESET, rulesetValues(rules())],
        ["fallback_origin", { origin: value("custom_hostnames/fallback_origin", "origin") }],
        ["total_tls", { enabled: value("acm/total_tls", "enabled") }],
        [LEVEL, { value: value("settings/security_level", "value") }],
      ]),
  };
}

/** What a status means to somebody who was not there: since when nobody has seen the hostname served. */
interface Sight {
  readonly status: string;
  readonly since: number;
}

/**
 * A judge that saw everything: what runs applied, what is live, and who deleted what. It shares no code with the plan. Of a
 * run that was not done with an object, each field may be as it was, as declared, or as it is.
 */
function openJudge(rig: Rig, dashboard: ReturnType<typeof dashboardOf>) {
  const applied = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  const deletedByHand = new Set<string>();
  const seen = new Map<string, Sight>();
  const excused = new Set<string>();

  /** What any run sees of a hostname is all that anybody can know of its end later. */
  const look = (): void => {
    const now = rig.clock.now();
    for (const { id, status, createdAt } of zoneOf(rig).hostnames.all()) {
      const known = seen.get(id);
      const since = known?.status === status ? known.since : status === "pending" && !known ? createdAt : now;
      seen.set(id, { status, since });
    }
    for (const id of deletedByHand) {
      const last = seen.get(id);
      // Deleted by hand, and not missed until Cloudflare might have deleted it itself: nobody can tell the two apart.
      if (last && !last.status.startsWith("active") && now - last.since >= 7 * DAY - 3 * HOUR) excused.add(id);
      else if (!excused.has(id)) seen.set(id, { status: "active, then deleted by hand", since: now });
    }
  };

  const after = (yaml: Yaml, isDone: (address: string) => boolean): void => {
    const live = dashboard.live();
    const declared = declaredBy(yaml);
    for (const address of applied.keys()) if (!declared.has(address) && isDone(address)) applied.delete(address);
    for (const [address, values] of declared) {
      const now = live.get(address);
      if (!now) continue;
      const last = applied.get(address);
      const wanted = Object.entries({ ...values, ...(now["id"] === undefined ? {} : { id: now["id"] }) });
      if (isDone(address)) applied.set(address, new Map(wanted.map(([name, value]) => [name, new Set([value])])));
      else if (last) {
        // Of another object under the same name nobody knows which fields were applied.
        const isAnother = now["id"] !== undefined && last.get("id")?.has(now["id"]) !== true;
        const known = wanted.filter(([name]) => last.has(name) && (name === "id" || !isAnother));
        const either = (name: string, value: string): ReadonlySet<string> =>
          new Set([...(last.get(name) ?? []), value, now[name] ?? value]);
        applied.set(
          address,
          new Map([...(isAnother ? [] : last), ...known.map(([name, value]) => [name, either(name, value)] as const)]),
        );
      }
    }
    look();
  };

  /** What is not as applied, and not as the YAML has it by now either. */
  const differences = (yaml: Yaml): ReadonlyMap<string, string> => {
    const live = dashboard.live();
    const found = new Map<string, string>();
    for (const [address, wish] of declaredBy(yaml)) {
      const known = applied.get(address);
      if (!known) continue;
      const now = live.get(address);
      const ids = [...(known.get("id") ?? [])];
      const isGone = now === undefined || (ids.length > 0 && !ids.includes(now["id"] ?? ""));
      if (isGone) {
        // After a killed run it may be another one that is gone, and that Cloudflare deleted.
        if (ids.length > 0 && ids.every((id) => deletedByHand.has(id) && !excused.has(id)))
          found.set(address, "deleted");
        continue;
      }
      const unlike = Object.keys(wish).filter((name) => {
        const was = known.get(name);
        return was && !isSame(name, now, wish[name] ?? "") && ![...was].some((value) => isSame(name, now, value));
      });
      if (unlike.length > 0) found.set(address, unlike.join(", "));
    }
    return found;
  };
  return { after, look, differences, deletedByHand };
}

/** The order of rules is compared for those that are in both. */
function isSame(name: string, now: Values, value: string): boolean {
  if (name !== "order") return now[name] === value;
  const [one, other] = [(now["order"] ?? "").split(" "), value.split(" ")];
  return one.filter((ref) => other.includes(ref)).join() === other.filter((ref) => one.includes(ref)).join();
}

/** What drift said of each object, and what the object was then. */
type Said = ReadonlyMap<string, { readonly words: readonly string[]; readonly live: string }>;

/** Whether a run left nothing of an object undone. */
function doneIn(report: ApplyReport): (address: string) => boolean {
  const ended = endingsOf(report);
  const left = ended.filter(({ outcome, rest }) => outcome.status !== "done" || rest !== undefined);
  const addresses = new Set<string>(left.map(({ address }) => address));
  return (address) => !addresses.has(address);
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A zone, its YAML, and what happens to them, step by step. */
function openStory() {
  const rig = openZone();
  const dashboard = dashboardOf(rig);
  const judge = openJudge(rig, dashboard);
  const yaml: Yaml = { ...FIRST };
  let before: Said = new Map();

  const write = (change: Partial<Yaml>): void => {
    Object.assign(yaml, change);
    rig.write("zones/a.yaml", zoneFile(yaml));
    before = new Map();
  };

  const apply = async (): Promise<void> => {
    before = new Map();
    const plan = await rig.plan();
    const report = await rig.apply(plan);
    expect(report.zones.flatMap(({ stopped, locked, unsaved }) => stopped ?? locked ?? unsaved ?? [])).toEqual([]);
    judge.after(yaml, doneIn(report));
  };

  /** A run that dies right after its first, second, … write. */
  const applyAndDie = async (writes: number): Promise<void> => {
    before = new Map();
    let left = writes;
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method !== "GET" && --left === 0) rig.crash();
      return answer;
    });
    const end = await rig.untilCrash(rig.run());
    await rig.restart();
    judge.after(yaml, end === "crashed" ? () => false : doneIn(end));
  };

  const editHostname = (name: string, what: number): void => {
    const { id } = dashboard.hostname(name) ?? {};
    if (id === undefined) return;
    const edits: readonly JsonObject[] = [
      { custom_metadata: { tier: of(TIERS, what) } },
      { custom_origin_server: of(ORIGINS, what) },
      { ssl: { method: "http", type: "dv", settings: { min_tls_version: of(TLS, what) } } },
    ];
    dashboard.call("PATCH", `custom_hostnames/${id}`, of(edits, what));
  };

  const deleteHostname = (name: string): void => {
    const { id } = dashboard.hostname(name) ?? {};
    if (id === undefined) return;
    dashboard.call("DELETE", `custom_hostnames/${id}`);
    judge.deletedByHand.add(id);
  };

  const createHostname = (hostname: string): void => {
    if (dashboard.hostname(hostname)) return;
    dashboard.call("POST", "custom_hostnames", { hostname, ssl: { method: "http", type: "dv" } });
  };

  const editSetting = (which: number, what: number): void => {
    if (which % 4 === 0) dashboard.call("PUT", "custom_hostnames/fallback_origin", { origin: of(FALLBACKS, what) });
    else if (which % 4 === 1) dashboard.call("DELETE", "custom_hostnames/fallback_origin");
    else if (which % 4 === 2) dashboard.call("POST", "acm/total_tls", { enabled: what % 2 === 0 });
    else dashboard.call("PATCH", "settings/security_level", { value: of(LEVELS, what) });
  };

  const play = async ({ act, which, what }: Step): Promise<void> => {
    const name = of(NAMES, which);
    const atRule = (rules: readonly Rule[], change: (rule: Rule) => readonly Rule[]): readonly Rule[] =>
      rules.flatMap((rule, index) => (index === which % rules.length ? change(rule) : [rule]));
    switch (act) {
      case "edit hostname":
        return editHostname(name, what);
      case "delete hostname":
        return deleteHostname(name);
      case "create hostname":
        return createHostname(name);
      case "move hostname":
        return rig.admin.setDns(name, { cname: "elsewhere.test" });
      case "lose hostname":
        // It moves away, somebody sees that, and somebody deletes it before Cloudflare does.
        rig.admin.setDns(name, { cname: "elsewhere.test" });
        await rig.wait(DAY);
        await look();
        return deleteHostname(name);
      case "return hostname":
        return rig.admin.setDns(name, { cname: FALLBACK });
      case "edit rule":
        return dashboard.editRules((rules) =>
          atRule(rules, (rule) => [{ ...rule, action: of(ACTIONS, what), expression: of(HOSTS, what) }]),
        );
      case "switch rule":
        return dashboard.editRules((rules) => atRule(rules, (rule) => [{ ...rule, enabled: !rule.enabled }]));
      case "delete rule":
        return dashboard.editRules((rules) => atRule(rules, () => []));
      case "swap rules":
        return dashboard.editRules((rules) => [...rules.slice(1), ...rules.slice(0, 1)]);
      case "add foreign rule": {
        const rule = { ref: `theirs${rig.clock.now()}`, action: "log", expression: of(HOSTS, what), enabled: true };
        return dashboard.editRules((rules) => (which % 2 === 0 ? [rule, ...rules] : [...rules, rule]));
      }
      case "edit setting":
        return editSetting(which, what);
      case "yaml hostname": {
        const values = { tier: of(TIERS, what), tls: of(TLS, what), origin: of(ORIGINS, which) };
        const hostnames = yaml.hostnames.map((each) => (each.hostname === name ? { ...each, ...values } : each));
        return write({ hostnames });
      }
      case "yaml entry": {
        const others = yaml.hostnames.filter(({ hostname }) => hostname !== name);
        const added = { hostname: name, tier: of(TIERS, what), origin: of(ORIGINS, what), tls: "1.2" };
        return write({ hostnames: others.length < yaml.hostnames.length ? others : [...others, added] });
      }
      case "yaml rule":
        return write({
          rules: OUR_REFS.slice(0, 1 + (which % OUR_REFS.length)).map((ref, index) => ({
            ref,
            action: of(ACTIONS, what + index),
            expression: of(HOSTS, what),
            enabled: true,
          })),
        });
      case "apply":
        return apply();
      case "killed apply":
        return applyAndDie(1 + (which % 3));
      case "hour":
        return rig.wait(HOUR);
      case "day":
        return rig.wait(DAY);
      case "days":
        return rig.wait((2 + which) * DAY);
      default:
        return act satisfies never;
    }
  };

  /** What `zoneform drift` does, and what the judge thinks of it. Gives what was found. */
  const look = async (): Promise<readonly string[]> => {
    const { zones, failed } = await findDrift(rig.world(), { file: rig.file, records: true });
    expect(failed).toEqual([]);
    const [zone] = zones;
    if (!zone) throw new Error("the zone could not be looked at");
    judge.look();
    const { drifted, underWay } = zone.judgement;
    const said = new Map<string, string[]>();
    for (const { address, what, leaves, rules, hazards } of drifted) {
      const parts = [...leaves.map(({ path }) => path.join(".")), ...rules.map((rule) => `${rule.what} ${rule.ref}`)];
      said.set(address, [what, ...parts, ...hazards, ...(what === "deleted" || what === "vanished" ? ["gone"] : [])]);
    }

    const differences = judge.differences(yaml);
    const busy = new Set<string>(underWay.map(({ address }) => address));
    const unsaid = [...differences].filter(([address]) => !said.has(address) && !busy.has(address));
    expect(unsaid, "different, and not reported").toEqual([]);
    if (differences.size > 0) expect(driftExit(zone.judgement), "the exit code of a zone with differences").not.toBe(0);

    const live = dashboard.live();
    const statuses = new Map(
      zoneOf(rig)
        .hostnames.all()
        .map(({ hostname, status, ssl }) => [addressOf(hostname), `${status} ${ssl?.status ?? "none"}`]),
    );
    const carried = [...live].flatMap(([address, { origin }]) => (origin === "none" ? [address] : []));
    // What the service did by itself is a change too, and so is who depends on a fallback origin.
    const shownAs = (address: string): string => {
      const values = address === RULESET ? dashboard.rules() : live.get(address);
      return JSON.stringify([values, statuses.get(address), address === "fallback_origin" ? carried : []]);
    };
    for (const [address, earlier] of before) {
      if (earlier.live !== shownAs(address) || busy.has(address)) continue;
      expect(said.get(address) ?? [], `${address}, which nobody changed since`).toEqual(
        expect.arrayContaining([...earlier.words]),
      );
    }
    before = new Map([...said].map(([address, words]) => [address, { words, live: shownAs(address) }]));
    return [...[...said].flatMap(([address, words]) => words.map((word) => `${address} ${word}`)), ...busy];
  };
  return { rig, apply, play, look };
}

const COUNT = inFull(500, 25);

test(`in ${COUNT} stories of edits, applies and days, drift misses nothing, and says no less on a later day`, async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const story = openStory();
      await story.apply();
      await story.rig.wait(HOUR);
      const look = async (): Promise<void> => {
        for (const word of await story.look()) met.add(word.split(" ").at(-1) ?? "");
      };
      for (const each of steps) {
        await story.play(each);
        // What the service does about an edit takes it some seconds.
        await story.rig.wait(10_000);
        if (each.what % 2 === 0) await look();
      }
      // In the end nobody does anything for longer than Cloudflare waits before it deletes a hostname.
      for (const days of [1, 4, 8]) {
        await look();
        await story.rig.wait(days * DAY);
      }
      await look();
    }),
    { numRuns: COUNT, seed: 20261123 },
  );
  // It would prove little if nothing had happened.
  expect([...met]).toEqual(expect.arrayContaining(["changed", "deleted", "gone", "outage", "custom_metadata.tier"]));
});
