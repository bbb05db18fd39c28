import type { ApplyReport } from "../../lib/apply/outcome.ts";
import type { Random } from "../../lib/core/clock.ts";
import type { LoggedRequest } from "../../lib/emulator/request-log.ts";
import { dnsRecords, endingsOf, failuresOf, openRig, type Rig, seededRandom, ZONE } from "../support/engine.ts";
import { MANAGED, type Rule } from "../conformance/apply/foreign-edits.ts";
import { inTime, withBudget } from "../conformance/apply/fresh-reads-world.ts";
import { drawEdits, drawn, entryPointOf, type ForeignEdit, hasVersions, shows } from "./throttled-edits.ts";

const HOUR_MILLISECONDS = 3_600_000;
const API = "/client/v4";
/** How long a request or its answer may be under way. */
const LATENCY_MILLISECONDS = 150;
/** A write rests on a read of the last second; both are under way for a while besides. */
const WINDOW_MILLISECONDS = 1000 + 2 * LATENCY_MILLISECONDS;
/** Far more than a round needs: a run that gets here goes round in circles. */
const MOST_REQUESTS = 4000;
/** As often as 12 calls in five minutes and some refusals make it, and then as long again. */
const LONGEST_RUN_MILLISECONDS = 6 * HOUR_MILLISECONDS;
const MOST_PARALLELISM = 32;

/**
 * What came of an edit. `excused` fell between the answer of the last read of the object and the arrival of the write,
 * by the service's log; with a ruleset the report has to say so.
 */
export type Fate =
  | "kept"
  | "conflict"
  | "overwritten as planned"
  | "excused"
  | "excused and reported"
  | "excused and not reported"
  | "lost";

/** What a round came to. */
export interface Round {
  readonly fates: readonly { readonly fate: Fate; readonly story: string }[];
  /** Writes that rested on no read of the last second, in words. */
  readonly stale: readonly string[];
  readonly requests: number;
  /** Requests that were refused as too many. */
  readonly refused: number;
  readonly seconds: number;
  readonly parallelism: number;
}

/** When an edit is made. */
type Moment =
  | { readonly at: "time"; readonly milliseconds: number }
  | { readonly at: "request"; readonly number: number }
  /** Just before a write of the object arrives, or just after an answer about it, the first or a later one. */
  | { readonly at: "write" | "read"; readonly skip: number };

interface Planned {
  readonly edit: ForeignEdit;
  readonly moment: Moment;
  skip: number;
}

/** An edit that was made: of which object, and how many requests were in the log by then. */
interface Made {
  readonly edit: ForeignEdit;
  readonly moment: Moment;
  readonly object: string;
  readonly after: number;
}

/** Plans and applies once with 12 calls in five minutes, while somebody edits a part of what there is. */
export async function playRound(seed: number): Promise<Round> {
  const random = seededRandom(seed);
  const scene = drawScene(random);
  const rig = await settledRig(scene, seed);
  const parallelism = 1 + Math.floor(random.fraction() * MOST_PARALLELISM);
  if (random.fraction() < 0.7) {
    const fault = {
      kind: "throttle",
      ...drawn(random, REFUSALS),
      retryAfter: 1 + Math.floor(random.fraction() * 20),
    } as const;
    rig.service.core.faults.order({ fault, rate: random.fraction() * 0.15, seed });
  }
  const stage = openStage(rig, random, scene);
  const began = rig.clock.now();
  const { log } = rig.service.core;
  let firstOfApply = 0;
  const report = await inTime(
    rig,
    rig.plan().then((plan) => {
      firstOfApply = log.total();
      return rig.apply(plan, { parallelism });
    }),
    LONGEST_RUN_MILLISECONDS,
  );
  stage.close();
  const entries = log.entries().map((each) => ({ ...each, path: objectAt(rig, each.path) }));
  const story = { log: entries, firstOfApply, report };
  return {
    fates: stage.made.map((made) => {
      const fate = chooseRemoval(rig, made, story);
      const where = `${made.edit.what} at ${JSON.stringify(made.moment)}, request ${made.after}`;
      return { fate, story: `seed ${seed}, parallelism ${parallelism}: ${where}: ${endOf(report, made)}` };
    }),
    stale: staleWrites(story.log).map((each) => `seed ${seed}: ${each}`),
    requests: story.log.length,
    refused: story.log.filter(({ fault, status }) => fault !== null || status === 429).length,
    seconds: Math.round((rig.clock.now() - began) / 1000),
    parallelism,
  };
}

/** As a refusal of the limit on all calls may look. */
const REFUSALS = [
  { code: 10100, status: 429 },
  { code: 971, status: 429 },
  { code: 971, status: 200 },
] as const;

/** What there is, and what is to become of it. */
interface Scene {
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
  readonly same: readonly string[];
  readonly created: readonly string[];
  readonly hasNewRules: boolean;
  readonly hasNewSettings: boolean;
}

function drawScene(random: Random): Scene {
  const names = (what: string, most: number): readonly string[] =>
    Array.from({ length: 1 + Math.floor(random.fraction() * most) }, (_none, index) => `${what}${index}.customer.net`);
  return {
    updated: names("updated", 6),
    deleted: names("deleted", 4),
    same: names("same", 2),
    created: names("created", 2),
    hasNewRules: random.fraction() < 0.8,
    hasNewSettings: random.fraction() < 0.8,
  };
}

/** A zone that is managed already and at rest; its file then wants something else. */
async function settledRig(scene: Scene, seed: number): Promise<Rig> {
  const rig = openRig({
    seed,
    hasUsualLimits: true,
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      fallback_origin: "fallback.saas.net",
      total_tls: { enabled: false, certificate_authority: "google" },
      custom_hostnames: [...scene.updated, ...scene.deleted, ...scene.same].map((hostname) => ({
        hostname,
        custom_metadata: { tier: "silver" },
        ssl: { type: "dv", method: "http", settings: { min_tls_version: "1.0" } },
      })),
      rulesets: Object.entries(RULES).map(([phase, rule]) => ({
        phase,
        rules: [{ ...rule, ref: "theirs", enabled: true }],
      })),
    },
    files: { "zones/a.yaml": zoneFile(scene, false) },
  });
  const failures = failuresOf(await rig.run());
  if (failures.length > 0) throw new Error(failures.join("\n"));
  await rig.wait(HOUR_MILLISECONDS);
  await withBudget(rig, "1%");
  rig.write("zones/a.yaml", zoneFile(scene, true));
  rig.service.core.log.reset();
  return rig;
}

const RULES: Readonly<Record<string, Rule>> = {
  http_request_firewall_managed: { ...MANAGED, expression: "true" },
  http_request_firewall_custom: { action: "block", expression: "ip.src eq 192.0.2.1" },
};

function zoneFile(scene: Scene, isNew: boolean): object {
  const entry =
    (tier: string, version: string) =>
    (hostname: string): object => ({
      hostname,
      custom_metadata: { tier },
      ssl: { type: "dv", method: "http", settings: { min_tls_version: version } },
    });
  // One entry point gets one edited rule, which is a call for that rule; the other gets two, which are a PUT.
  const rules = (phase: string, rule: Rule): readonly Rule[] => {
    const isEdited = scene.hasNewRules && isNew;
    const second = isEdited ? { expression: "ip.src eq 192.0.2.2" } : {};
    const first = isEdited && phase === "http_request_firewall_custom" ? { expression: "ip.src eq 192.0.2.3" } : {};
    return [
      { ...rule, ...first, ref: "ours/first" },
      { ...rule, ...second, ref: "ours/second" },
    ];
  };
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: isNew && scene.hasNewSettings ? "fallback2.saas.net" : "fallback.saas.net" },
    total_tls: { enabled: isNew && scene.hasNewSettings },
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: [
        ...scene.updated.map(isNew ? entry("gold", "1.2") : entry("silver", "1.0")),
        ...scene.same.map(entry("silver", "1.0")),
        ...(isNew ? scene.created.map(entry("gold", "1.2")) : scene.deleted.map(entry("silver", "1.0"))),
      ],
    },
    entry_points: Object.fromEntries(
      Object.entries(RULES).map(([phase, rule]) => [phase, { own: ["ours/"], adopt: true, rules: rules(phase, rule) }]),
    ),
  };
}

/** Where edits happen while a run goes on. */
interface Stage {
  readonly made: readonly Made[];
  /** The run is over: what has not been edited by now is left alone. */
  close(): void;
}

/** Puts latency and edits between client and service. */
function openStage(rig: Rig, random: Random, scene: Scene): Stage {
  const { log } = rig.service.core;
  const made: Made[] = [];
  const changes = scene.updated.length + scene.deleted.length + scene.created.length + 4;
  const requests = 8 + 2 * changes;
  const lasts = Math.ceil(requests / 12) * 300_000;
  const edits = drawEdits(random, [...scene.updated, ...scene.deleted, ...scene.same], scene.created);
  let due = edits.map((edit): Planned => {
    const moment = drawMoment(random, requests, lasts);
    return { edit, moment, skip: "skip" in moment ? moment.skip : 0 };
  });
  let asked = 0;
  let isOpen = true;

  const doNow = (isNow: (planned: Planned) => boolean): void => {
    const now = isOpen ? due.filter(isNow) : [];
    due = due.filter((planned) => !now.includes(planned));
    for (const { edit, moment } of now) {
      const after = log.total();
      const object = edit.act(rig);
      if (object !== undefined) made.push({ edit, moment, object, after });
    }
  };
  const isAbout = (path: string, planned: Planned): boolean => {
    const object = objectOf(rig, planned.edit);
    return object !== undefined && object === path && planned.skip-- <= 0;
  };
  for (const { edit, moment } of due) {
    if (moment.at !== "time") continue;
    void rig.clock.sleep(moment.milliseconds).then(() => doNow((planned) => planned.edit === edit));
  }
  rig.network(async ({ method, url }, _index, pass) => {
    asked += 1;
    const number = asked;
    if (number > MOST_REQUESTS) return new Promise<never>(() => undefined);
    const path = objectAt(rig, new URL(url).pathname.replace(API, ""));
    await rig.clock.sleep(random.fraction() * LATENCY_MILLISECONDS);
    doNow(({ moment }) => moment.at === "request" && moment.number <= number);
    if (method !== "GET") doNow((planned) => planned.moment.at === "write" && isAbout(path, planned));
    const answer = await pass();
    if (method === "GET") doNow((planned) => planned.moment.at === "read" && isAbout(path, planned));
    await rig.clock.sleep(random.fraction() * LATENCY_MILLISECONDS);
    return answer;
  });
  return {
    made,
    close: () => {
      isOpen = false;
    },
  };
}

function drawMoment(random: Random, requests: number, milliseconds: number): Moment {
  const sort = random.fraction();
  if (sort < 0.45) return { at: "time", milliseconds: random.fraction() * milliseconds };
  if (sort < 0.8) return { at: "request", number: 1 + Math.floor(random.fraction() * requests) };
  return { at: sort < 0.9 ? "write" : "read", skip: random.fraction() < 0.7 ? 0 : 1 };
}

/** The path at which the service has what the edit is about, as far as it is there. */
function objectOf(rig: Rig, { address }: ForeignEdit): string | undefined {
  const zone = `/zones/${ZONE.id}`;
  if (address === "total_tls") return `${zone}/acm/total_tls`;
  if (address === "fallback_origin") return `${zone}/custom_hostnames/fallback_origin`;
  const [kind, key = ""] = address.split(/\["|"\]/);
  if (kind === "ruleset") return entryPointOf(key);
  // Asked of the service's store, because the dashboard's list costs more.
  const id = rig.service.core.store.zones.get(ZONE.id)?.hostnames.named(key)?.id;
  return id === undefined ? undefined : `${zone}/custom_hostnames/${id}`;
}

/** The path of the object that a request is about: of a single rule, that of its entry point. */
function objectAt(rig: Rig, path: string): string {
  const id = /\/rulesets\/([0-9a-f]{32})\/rules\//.exec(path)?.[1] ?? "";
  const phase = rig.service.core.store.zones.get(ZONE.id)?.rulesets.get(id)?.phase;
  return phase === undefined ? path : entryPointOf(phase);
}

interface Story {
  readonly log: readonly LoggedRequest[];
  /** How many requests the plan made. */
  readonly firstOfApply: number;
  readonly report: ApplyReport;
}

function chooseRemoval(rig: Rig, { edit, object, after }: Made, { log, firstOfApply, report }: Story): Fate {
  const ended = endingsOf(report).find(({ address }) => address === edit.address)?.outcome;
  const isReported = ended?.status === "conflict" && ended.diagnostic.code === "overwrote-another-write";
  if (edit.isLive(rig)) return ended?.status === "conflict" ? "conflict" : "kept";
  const write = log.findIndex((each, index) => index >= after && isWriteOf(each, object));
  if (write === -1) return "lost";
  const read = log.findLastIndex((each, index) => index < write && isReadOf(each, object));
  const age = (log[write]?.at ?? Infinity) - (log[read]?.at ?? -Infinity);
  if (read < after && age <= WINDOW_MILLISECONDS) {
    if (!hasVersions(object)) return "excused";
    return isReported ? "excused and reported" : "excused and not reported";
  }
  const isSeen = log.some((each, index) => {
    return index >= after && index < firstOfApply && each.method === "GET" && shows(each.path, object);
  });
  return isSeen && (!edit.isUnowned || log[write]?.method === "DELETE") ? "overwritten as planned" : "lost";
}

/** Writes that rest on no read of the last second, in words. A create that the service refuses as a duplicate needs none. */
function staleWrites(log: readonly LoggedRequest[]): readonly string[] {
  return log.flatMap((write, index) => {
    if (!isWriteOf(write, write.path) || write.path.endsWith("/custom_hostnames")) return [];
    const read = log.slice(0, index).findLast((each) => isReadOf(each, write.path));
    const age = write.at - (read?.at ?? -Infinity);
    return age <= WINDOW_MILLISECONDS ? [] : [`${write.method} ${write.path} comes ${age} ms after its read`];
  });
}

function isWriteOf({ method, path, status, fault }: LoggedRequest, object: string): boolean {
  return method !== "GET" && path === object && status < 300 && fault === null;
}

function isReadOf({ method, path, status, fault }: LoggedRequest, object: string): boolean {
  return method === "GET" && path === object && status < 300 && fault === null;
}

function endOf(report: ApplyReport, { edit }: Made): string {
  const ended = endingsOf(report).find(({ address }) => address === edit.address);
  return ended ? `${ended.action} ${ended.outcome.status}` : "no change";
}
