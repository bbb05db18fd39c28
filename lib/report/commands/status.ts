import { parseAddress } from "../../core/address.ts";
import { defined, type Json, type JsonObject } from "../../core/json.ts";
import { moment } from "../../core/moment.ts";
import { shellQuoted } from "../../core/quote.ts";
import { explain } from "../../engine/explain/explain.ts";
import type { CustomOrigin, FallbackHealth } from "../../engine/hostnames/origin-health.ts";
import type { StandaloneZones } from "../../engine/hostnames/standalone-zones.ts";
import type { MovedHostname, Stuck, ZoneStatus } from "../../engine/hostnames/status.ts";
import type { FailedZone } from "../../plan/change.ts";
import { unreadWords } from "../../plan/watch.ts";
import { RUNS_OR_WAS_KILLED } from "../../state/lock.ts";
import type { ZoneLock, Unfinished } from "../../state/unfinished.ts";
import { namesLine } from "../lines/change-lines.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { commandLine, type Line, line } from "../lines/lines.ts";
import { counted, thousands } from "../../core/words.ts";
import { named, objectName, runName } from "../lines/words.ts";
import { remedyLines } from "../lines/diagnostics.ts";
import { failedSections, goneLines, hazardLines } from "../sections/plan.ts";
import { statusPlots } from "../sections/plots.ts";
import type { Plot, Report, Section } from "../sections/report.ts";
import { failedZoneDocument, foreignDocument, present } from "../plan/json.ts";
import { type Found, foundUnlike, foundViews } from "../view/found.ts";
import { hazardsDocument } from "../view/hazards.ts";
import type { DriftCodes } from "./drift-json.ts";
import { fallbackProblems, fallbackSummary } from "./fallback-health.ts";
import { lastCheckedDocument, lastCheckedLines } from "./last-checked.ts";

/** How many names a section lists before counting the rest; the JSON has all of them. */
const NAMED = 20;

/** How many objects that a run left unfinished to name before counting the rest. */
const MOST_UNFINISHED = 5;

/** The status of zones: those that need attention first, and in each the most urgent part first. */
export function statusReport(zones: readonly ZoneStatus[], failed: readonly FailedZone[] = []): Report {
  const parts = zones.map((status) => ({ status, problems: problemsOf(status) }));
  const [calm, urgent] = [true, false].map((isCalm) =>
    parts.filter(({ problems }) => (problems.length === 0) === isCalm),
  );
  const sections = [...(urgent ?? []), ...(calm ?? [])].map(({ status, problems }) => zoneSection(status, problems));
  const plots = (): readonly Plot[] => statusPlots(zones);
  const [only, ...others] = sections;
  // The verdict on a single zone is that of the whole.
  if (only?.title !== undefined && others.length === 0 && failed.length === 0)
    return { verdict: only.title, sections: [{ items: only.items, rank: only.rank }], plots };
  return {
    verdict: attention(zones.length, urgent?.length ?? 0),
    sections: [...failedSections(failed), ...sections],
    plots,
  };
}

function attention(zones: number, urgent: number): Line {
  const all = counted(zones, "zone");
  if (urgent === 0) return line(0, `${all}: ${CALM}.`, "good");
  return line(0, `${thousands(urgent)} of ${all} ${urgent === 1 ? "needs" : "need"} attention.`, "heading");
}

/** The status of zones for programs, uncut, with the exit codes of `--detailed-exitcode`. */
export function statusDocument(
  zones: readonly ZoneStatus[],
  failed: readonly FailedZone[],
  { byZone, code }: DriftCodes,
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    exit_code: code,
    hazards: hazardsDocument(zones.flatMap((zone) => [...foundIn(zone), ...zone.judgement.foreign])),
    zones: [
      ...zones.map((status) => ({ ...zoneDocument(status), ...present({ exit_code: byZone.get(status.zone.name) }) })),
      ...failed.map(failedZoneDocument),
    ],
  };
}

/** The verdict of a zone, then its problems, then other facts. */
function zoneSection(status: ZoneStatus, problems: readonly (readonly Line[])[]): Section {
  const { name } = status.zone;
  const many = `${counted(problems.length, "problem")} ${problems.length === 1 ? "needs" : "need"} attention`;
  const verdict = [
    ...(status.isStateless ? ["no state: nothing was applied yet, or the state is elsewhere"] : []),
    ...(problems.length > 0 ? [many] : status.isStateless ? [] : [CALM]),
  ].join("; ");
  const style = problems.length > 0 ? "heading" : status.isStateless ? "warn" : "good";
  const facets = { zone: name };
  return {
    title: line(0, `${name}: ${verdict}`, style),
    items: [
      ...problems.map((lines) => ({ lines, facets, rank: "hazards" }) as const),
      { lines: besides(status), facets },
    ],
    rank: "changes",
  };
}

const CALM = "nothing needs attention";

/** The problems that need a person, a block of lines each. */
function problemsOf(status: ZoneStatus): readonly (readonly Line[])[] {
  const { unfinished, unanswered, blocked, moved, expired, expiring, dnsLeft, checks, foreign, origins } = status;
  const vanished = vanishedIn(status, ({ hazards }) => hazards.length === 0);
  return [
    foundLines(status),
    unreadLines(status),
    lockLines(status),
    unfinishedLines(status, unfinished, "which was stopped"),
    unfinishedLines(status, unanswered, "which got no response"),
    ...stuckSections(status.stuck),
    section(many(blocked, "hostname is blocked", "hostnames are blocked"), blocked, "blocked", ({ hostname, said }) =>
      [hostname, ...said].join(": "),
    ),
    section(many(moved, "hostname has moved away", "hostnames have moved away"), moved, "moved", movedSentence),
    section(
      many(expired, "declared hostname was deleted by Cloudflare", "declared hostnames were deleted by Cloudflare"),
      expired,
      "expired-hostnames",
      (name) => name,
    ),
    section(
      many(vanished, "declared hostname is gone", "declared hostnames are gone"),
      vanished,
      "vanished-hostnames",
      (name) => `${name}: deleted by Cloudflare or by hand`,
    ),
    section(
      many(expiring, "certificate expires", "certificates expire"),
      expiring,
      "pending_expiration",
      ({ hostname, expiresOn, isOver }) => `${hostname}: ${isOver ? "expired" : "expires"} ${moment(expiresOn)}`,
      ({ hostname }) => hostname,
    ),
    section(
      many(dnsLeft, "hostname does not point to the zone", "hostnames do not point to the zone"),
      dnsLeft,
      "does-not-cname",
      (left) => `${left.hostname}: ${left.status}`,
      ({ hostname }) => hostname,
    ),
    ...checks.map(({ check, hostnames }) =>
      section(
        `check ${check}: ${counted(hostnames.length, "hostname")}`,
        hostnames,
        "denied-live-value",
        (name) => name,
      ),
    ),
    origins?.fallback ? fallbackProblems(origins.fallback) : [],
    customOriginLines(origins?.customOrigins ?? []),
    standaloneLines(status),
    foreign === 0
      ? []
      : [
          line(2, `${counted(foreign, "live hostname")} ${foreign === 1 ? "is" : "are"} not declared`, "warn"),
          ...toDo("foreign-hostnames"),
        ],
  ].filter((part) => part.length > 0);
}

/** Custom origins whose DNS record was deleted: the edge has nowhere to send their visitors. */
function customOriginLines(origins: readonly CustomOrigin[]): Line[] {
  const missing = origins.filter(({ record }) => record === "missing");
  if (missing.length === 0) return [];
  const have = missing.length === 1 ? "has" : "have";
  return [
    line(2, `${counted(missing.length, "custom origin")} ${have} no DNS record in the zone`, "warn"),
    ...missing
      .slice(0, NAMED)
      .map(({ origin, hostnames }) =>
        line(4, `${origin}: error 1016 for visitors of ${counted(hostnames, "hostname")}`),
      ),
    ...restLines(missing.length),
    line(4, "to do: add an A, AAAA or CNAME record with this name to the zone", "quiet"),
  ];
}

/** Wildcards whose undeclared names lead nowhere. */
function standaloneLines({ standalone }: ZoneStatus): Line[] {
  const { overruled = [] } = standalone ?? {};
  if (overruled.length === 0) return [];
  return [
    line(2, `error 1016 for visitors of ${counted(overruled.length, "wildcard hostname")}`, "warn"),
    ...overruled
      .slice(0, NAMED)
      .map(({ hostname, zone }) =>
        line(4, `${hostname}: ${zone} is also a zone at Cloudflare, which takes precedence over the wildcard`),
      ),
    ...restLines(overruled.length),
    line(4, "to do: declare each hostname too, beside the wildcard", "quiet"),
  ];
}

/** The health of the zone's custom origins; undefined if there are none, or if the problems report it. */
function customOriginSummary(origins: readonly CustomOrigin[]): string | undefined {
  const what = counted(origins.length, "custom origin");
  if (origins.some(({ record }) => record === "unreadable"))
    return `${what} not checked: DNS records cannot be read (the token lacks DNS Read)`;
  if (origins.length === 0 || origins.some(({ record }) => record === "missing")) return undefined;
  return `${what} of the zone: ${origins.length === 1 ? "it has" : "all have"} a DNS record`;
}

/** How many wildcard hostnames could be compared: zones of other accounts do not show. */
function comparedWildcards({ wildcards, zones }: StandaloneZones): string {
  const what = counted(wildcards, "wildcard hostname");
  if (zones === undefined)
    return `${what} not compared with zones at Cloudflare: the token may not list zones (Zone Read)`;
  return `${what} compared with the ${counted(zones, "zone")} that the token can read; other people's zones cannot be seen`;
}

function many(found: readonly unknown[], one: string, several: string): string {
  return `${thousands(found.length)} ${found.length === 1 ? one : several}`;
}

/** What was changed outside Zoneform, as a drift check finds it: the dangers, and how many other changes there are. */
function foundLines(status: ZoneStatus): Line[] {
  const found = foundIn(status);
  const dangers = hazardLines(foundViews(found, status.judgement.foreign), "dangers").map((each) => ({
    ...each,
    indent: each.indent + 2,
  }));
  const harmless = found.filter(({ hazards, what }) => hazards.length === 0 && what !== "vanished").length;
  const differ = harmless === 1 ? "object differs" : "objects differ";
  const than = `from what ${status.isStateless ? "the YAML says" : "was applied"}`;
  const rest = `${thousands(harmless)} ${differ} ${than}${dangers.length > 0 ? ", without danger" : ""}`;
  const lines = [...dangers, ...(harmless === 0 ? [] : [line(2, rest, "warn")])];
  if (lines.length === 0) return [];
  const against = status.isStateless ? " --against config" : "";
  return [
    ...lines,
    line(4, "to see what was changed:", "quiet"),
    commandLine(6, `zoneform drift${against} --zone ${shellQuoted(status.zone.name)}`),
  ];
}

/** Rules that the token may not read, so it was not checked whether one of them skips ours. */
function unreadLines({ judgement: { unread } }: ZoneStatus): Line[] {
  if (unread.length === 0) return [];
  return [line(2, `not checked: ${unreadWords(unread)}`, "warn"), ...toDo("entry-points-unread")];
}

/** The findings in a zone; empty if nothing of it was ever applied, as far as known. */
function foundIn({ judgement }: ZoneStatus): readonly Found[] {
  if ("drifted" in judgement) return judgement.drifted;
  return judgement.isBare ? [] : judgement.unlike.map(foundUnlike);
}

/** Deleted hostnames for which it is unknown who deleted them; those in danger are listed above. */
function vanishedIn(status: ZoneStatus, isWanted: (found: Found) => boolean): readonly string[] {
  return foundIn(status).flatMap((found) => (found.what === "vanished" && isWanted(found) ? [found.key] : []));
}

/** A holder that may be dead. A live holder needs no attention. */
function lockLines({ zone, lock }: ZoneStatus): Line[] {
  if (!lock || lock.isRunning) return [];
  return [
    line(2, `${holderOf(lock)} holds the lock, and ${RUNS_OR_WAS_KILLED}; ${unfinishedOf(lock)}`, "warn"),
    line(4, "to see that run, and what to do:", "quiet"),
    commandLine(6, `zoneform state lock --zone ${shellQuoted(zone.name)}`),
  ];
}

function holderOf({ who, operation, sinceText }: ZoneLock): string {
  if (who === undefined || sinceText === undefined) return "a run that did not say its name";
  return `a run of ${who} (${operation ?? "unknown"}, since ${sinceText})`;
}

function unfinishedOf({ unfinished }: ZoneLock): string {
  return unfinished === 0
    ? "no change is unfinished"
    : `${thousands(unfinished)} ${unfinished === 1 ? "change is" : "changes are"} unfinished`;
}

function unfinishedLines({ zone }: ZoneStatus, found: Unfinished | undefined, why: string): Line[] {
  if (!found) return [];
  const { runs, addresses } = found;
  const who = runs.length === 0 ? "a run" : `run ${named(runs.map(runName))}`;
  const what = many(addresses, "object was", "objects were");
  return [
    line(2, `${what} left unfinished by ${who}, ${why}`, "warn"),
    namesLine(4, addresses, MOST_UNFINISHED),
    line(4, "the next apply finds out what happened, and finishes it:", "quiet"),
    commandLine(6, `zoneform apply --zone ${shellQuoted(zone.name)}`),
  ];
}

/** One section for each reason, with its names and what to do. */
function stuckSections(stuck: readonly Stuck[]): Line[][] {
  const reasons = [...new Set(stuck.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const found = stuck.filter((each) => each.reason === reason);
    return section(
      `${found.length} stuck in ${reason}`,
      found,
      reason,
      ({ subject, said }) => [objectName(subject), ...said].join(": "),
      ({ subject }) => (parseAddress(subject) ? undefined : subject),
    );
  });
}

/** Facts that are no problem. */
function besides(status: ZoneStatus): Line[] {
  const { zone, live, byStatus, isStateless, held, origins, standalone, driftChecks, lock, foreignRules } = status;
  const { fallback, customOrigins = [] } = origins ?? {};
  const customOrigin = customOriginSummary(customOrigins);
  const statuses = Object.entries(byStatus).map(([name, count]) => `${thousands(count)} ${name}`);
  return [
    ...(isStateless
      ? [line(2, "to see where it was looked for:"), commandLine(4, `zoneform drift --zone ${shellQuoted(zone.name)}`)]
      : []),
    line(2, `${counted(live, "hostname")}${statuses.length === 0 ? "" : `: ${statuses.join(", ")}`}`),
    ...(lock?.isRunning ? [line(2, `${holderOf(lock)} holds the lock and is under way; ${unfinishedOf(lock)}`)] : []),
    ...underWayLines(status),
    ...(held.length === 0
      ? []
      : [
          line(2, `${many(held, "change is", "changes are")} held, and applied later:`),
          ...held.slice(0, NAMED).map(({ address, reason }) => line(4, `${objectName(address)}: ${reason}`)),
          ...restLines(held.length),
        ]),
    ...(fallback && fallbackProblems(fallback).length === 0 ? [line(2, fallbackSummary(fallback))] : []),
    ...(customOrigin === undefined ? [] : [line(2, customOrigin)]),
    ...goneLines(status.gone).map((each) => ({ ...each, indent: each.indent + 2 })),
    ...foreignRules.map((sentence) => line(2, sentence)),
    ...(standalone ? [line(2, comparedWildcards(standalone), "quiet")] : []),
    ...lastCheckedLines({ zone, ...defined({ driftChecks }) }),
  ];
}

/** Hostnames that the service is rolling out need no attention; for the others, customers may have to set records. */
function underWayLines({ zone, underWay, waitingForRecords }: ZoneStatus): Line[] {
  if (underWay === 0) return [];
  const are = underWay === 1 ? "is" : "are";
  const what = `${counted(underWay, "hostname")} ${are} being set up`;
  if (waitingForRecords === 0) return [line(2, `${what}, which usually takes Cloudflare minutes`)];
  const some = waitingForRecords === underWay ? "" : ` of ${thousands(waitingForRecords)} of them`;
  return [
    line(2, `${what}; for the DNS records that the customers${some} must set:`),
    commandLine(4, `zoneform hostname todo --zone ${shellQuoted(zone.name)}`),
  ];
}

function section<T>(
  title: string,
  found: readonly T[],
  code: string,
  sentence: (each: T) => string,
  hostnameOf: (each: T) => string | undefined = () => undefined,
): Line[] {
  if (found.length === 0) return [];
  return [
    line(2, title, "warn"),
    ...found.slice(0, NAMED).map((each) => line(4, sentence(each))),
    ...restLines(found.length),
    ...toDo(code, found.length === 1 ? found.map(hostnameOf)[0] : undefined),
  ];
}

function restLines(count: number): Line[] {
  const others = count - NAMED;
  if (others <= 0) return [];
  return [line(4, `and ${thousands(others)} more; to see all:`), commandLine(6, "zoneform status --format json")];
}

/** The remedy in the words of `zoneform explain`, with the name of the hostname if it concerns one. */
function toDo(code: string, hostname?: string): Line[] {
  const { remedy } = explain(code)[0];
  const text = hostname === undefined ? remedy : remedy.replace("HOSTNAME", shellQuoted(hostname));
  return remedyLines(4, text);
}

function movedSentence({ hostname, seenOn, deletedBy }: MovedHostname): string {
  if (seenOn === undefined)
    return `${hostname}: seen moved for the first time now; Cloudflare deletes it 7 days after it moved`;
  const since = `first seen moved on ${moment(seenOn)}`;
  if (deletedBy === undefined)
    return `${hostname}: ${since}, more than 7 days ago; Cloudflare may delete it at any time`;
  return `${hostname}: ${since}; Cloudflare deletes it on ${moment(deletedBy)} at the latest`;
}

function zoneDocument(status: ZoneStatus): JsonObject {
  return {
    zone: { id: status.zone.id, name: status.zone.name },
    live: status.live,
    by_status: status.byStatus,
    held: status.held.map((each) => ({ ...each })),
    blocked: status.blocked.map(({ hostname, said }) => ({ hostname, verification_errors: said })),
    moved: status.moved.map(({ hostname, seenOn, deletedBy }) =>
      present({
        hostname,
        first_seen_moved: seenOn,
        first_seen_now: seenOn === undefined,
        deleted_at_the_latest: deletedBy,
      }),
    ),
    deleted_by_service: status.expired,
    vanished: vanishedIn(status, () => true),
    expiring: status.expiring.map(({ hostname, expiresOn, isOver }) => ({
      hostname,
      expires_on: expiresOn,
      is_over: isOver,
    })),
    needs_somebody: status.stuck.map(({ subject, reason, said }) => ({
      subject,
      reason,
      said,
      to_do: explain(reason)[0].remedy,
    })),
    under_way: status.underWay,
    ...(status.lock ? { lock: lockDocument(status.lock) } : {}),
    ...(status.unfinished ? { unfinished: { ...status.unfinished } } : {}),
    ...(status.unanswered ? { unanswered: { ...status.unanswered } } : {}),
    ...lastCheckedDocument(status),
    ...(status.origins?.fallback ? { fallback_origin: fallbackDocument(status.origins.fallback) } : {}),
    ...(status.origins ? { custom_origins: status.origins.customOrigins.map((each): Json => ({ ...each })) } : {}),
    ...(status.standalone ? { standalone_zones: standaloneDocument(status.standalone) } : {}),
    gone: status.gone,
    dns_left: status.dnsLeft.map((each): Json => ({ ...each })),
    checks: status.checks.map((each): Json => ({ ...each })),
    foreign: status.foreign,
    foreign_rules: status.judgement.foreign.map(foreignDocument),
    entry_points_unread: status.judgement.unread,
    drifted: foundIn(status).map(({ address }) => address),
    dangers: foundIn(status)
      .filter(({ hazards }) => hazards.length > 0)
      .map(({ address, what, hazards }) => ({ address, what, hazards })),
  };
}

function standaloneDocument({ wildcards, overruled, zones }: StandaloneZones): JsonObject {
  return { wildcards, overruled: overruled.map((each): Json => ({ ...each })), ...present({ zones_compared: zones }) };
}

function lockDocument({ who, operation, since, isRunning, unfinished }: ZoneLock): JsonObject {
  return present({ who, operation, since, running: isRunning, unfinished });
}

function fallbackDocument({ origin, status, errors, record, resolves, hostnames }: FallbackHealth): JsonObject {
  return present({ origin, status, errors, record, resolves, hostnames });
}
