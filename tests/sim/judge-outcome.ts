import type { Ended } from "../../lib/apply/outcome.ts";
import { isObject, type JsonObject, valueAt } from "../../lib/core/json.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import {
  type TrueHold,
  trueHold,
  trueHostname,
  trueHostnames,
  trueMigration,
  trueRules,
  trueSetting,
} from "./truth.ts";
import { MIGRATION } from "./writes.ts";

/**
 * What a report calls done must be true: each change that ended as done is compared with what the service really keeps.
 * Only for a run without foreign acts.
 */
export function judgeOutcome(stage: Stage, { plan, report, actsBefore, party }: RunEnd): void {
  // Also for a killed run: it may have released what it planned to.
  for (const section of party.plan?.zones ?? []) {
    for (const { action, id } of section.changes) {
      if (action !== "forget" || id === undefined) continue;
      stage.ledger.released.add(id);
      stage.ledger.shielded.delete(id);
    }
  }
  noteUnanswered(stage, party, report);
  const isQuiet = stage.ledger.outsideActs === actsBefore && !party.sawStale;
  for (const zone of report?.zones ?? []) {
    for (const ended of zone.ended) {
      const change = plan?.zones[0]?.changes.find(({ address }) => address === ended.address);
      if (!change || ended.outcome.status !== "done") continue;
      // The next run adopts again what could not be saved.
      const isSaved = zone.unsaved === undefined;
      if (change.action === "adopt" && !change.undeclared && isSaved && ended.id !== undefined)
        stage.ledger.ours.add(ended.id);
      if (change.protect && ended.id !== undefined) stage.ledger.shielded.add(ended.id);
      // Another run that was under way wrote it later: what is live by now is that one's.
      const writer = stage.ledger.lastWriters.get(`${change.kind} ${change.key}`);
      if (writer && writer !== party) continue;
      if (isQuiet || isSeenSince(stage, party, change)) judgeDone(stage, change, ended);
    }
  }
}

/** Somebody touched it, but before the run last looked: then the run has to know. */
function isSeenSince({ ledger }: Stage, party: RunEnd["party"], { kind, key }: Change): boolean {
  const touched = ledger.touched.get(key) ?? -Infinity;
  return kind === "custom_hostname" && touched < (party.shown.get(key) ?? -Infinity) && !party.sawStale;
}

function noteUnanswered({ ledger, service }: Stage, party: RunEnd["party"], report: RunEnd["report"]): void {
  const [zone] = report?.zones ?? [];
  const ended = zone?.unsaved ? [] : (zone?.ended ?? []);
  const done = new Set(ended.flatMap(({ id, outcome }) => (outcome.status === "done" ? [id] : [])));
  for (const { id, name } of trueHostnames(service)) {
    if (party.created.has(`custom_hostname ${name}`) && !done.has(id)) ledger.unanswered.add(id);
  }
}

function judgeDone(stage: Stage, change: Change, { action, address }: Ended): void {
  const wrong = (what: string): void => stage.ledger.blame("I12", `${action} ${address} is called done, and ${what}`);
  if (change.kind === "custom_hostname") return judgeHostname(stage, change, wrong);
  if (change.kind === "ruleset" && change.desired) return judgeRules(stage, change.desired, wrong);
  if (change.kind === MIGRATION) return judgeStep(stage, change, wrong);
  const { fallbackOrigin, totalTls } = stage.service.zone();
  const { desired } = change;
  if (change.kind === "fallback_origin" && desired && fallbackOrigin?.origin !== desired["origin"])
    wrong(`the origin is ${fallbackOrigin?.origin ?? "none"}`);
  if (change.kind === "total_tls" && desired && totalTls.enabled !== desired["enabled"])
    wrong(`Total TLS is ${String(totalTls.enabled)}`);
  const hold = trueHold(stage.service);
  if (change.kind === "zone_hold" && desired && isOtherHold(desired, hold))
    wrong(`the hold is ${JSON.stringify(hold)}`);
  const value = change.kind === "zone_setting" ? trueSetting(stage.service, change.key) : undefined;
  if (change.action === "update" && differs(desired?.["value"], value)) wrong(`its value is ${value}`);
}

function isOtherHold({ hold, include_subdomains: subdomains }: JsonObject, live: TrueHold): boolean {
  return hold !== live.hold || (live.hold && subdomains !== undefined && subdomains !== live.subdomains);
}

/** The last step counts as done once it was requested: the service completes it by itself. */
function judgeStep(stage: Stage, { action, desired, with: companion }: Change, wrong: (what: string) => void): void {
  if (action !== "update") return;
  const { state, isFinishing } = trueMigration(stage.service);
  const isDone = desired?.["target"] === "new" ? isFinishing || state === "complete" : state !== "start";
  if (!isDone) wrong(`the zone is at ${state}`);
  if (companion?.desired) judgeRules(stage, companion.desired, wrong);
}

function judgeHostname({ service }: Stage, change: Change, wrong: (what: string) => void): void {
  switch (change.action) {
    case "delete":
      if (trueHostnames(service).some(({ id }) => id === change.id)) wrong("it is live");
      return;
    case "create":
    case "update":
    case "replace":
    case "adopt": {
      const live = trueHostname(service, change.key);
      // The application may have deleted meanwhile what it owns.
      if (!live) return change.undeclared ? undefined : wrong("it is not live");
      const isHeld = (change.held?.leaves.length ?? 0) > 0;
      if (differs(sentIn(change, "custom_origin_server"), live.origin)) wrong(`its origin is ${live.origin ?? "none"}`);
      if (differs(sentIn(change, "custom_metadata.tier"), live.tier)) wrong(`its tier is ${live.tier ?? "none"}`);
      if (!isHeld && differs(sentIn(change, "ssl.settings.min_tls_version"), live.tls))
        wrong(`its TLS version is ${live.tls ?? "none"}`);
      return;
    }
    case "forget":
    case "held":
    case "no-op":
      return;
    default:
      return change satisfies never;
  }
}

/** What a change sends for a field: a new object is sent whole; of an existing one, only what the plan names. */
function sentIn({ action, desired, leaves }: Change, leaf: string): unknown {
  const isWhole = action === "create" || action === "replace";
  const isNamed = leaves.some(({ path }) => path.join(".") === leaf);
  return isWhole || isNamed ? valueAt(desired, leaf.split(".")) : undefined;
}

function differs(wanted: unknown, live: string | undefined): boolean {
  return typeof wanted === "string" && wanted !== live;
}

function judgeRules({ service }: Stage, desired: JsonObject, wrong: (what: string) => void): void {
  const wanted = Array.isArray(desired["rules"]) ? desired["rules"].filter(isObject) : [];
  const ours = (trueRules(service) ?? []).filter(({ isOurs }) => isOurs);
  const isSame =
    wanted.length === ours.length &&
    wanted.every((rule, index) => rule["ref"] === ours[index]?.ref && rule["expression"] === ours[index]?.expression);
  if (!isSame) wrong(`its rules are ${ours.map(({ ref }) => ref).join(", ")}`);
}
