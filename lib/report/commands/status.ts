import type { Json, JsonObject } from "../../core/json.ts";
import { parseAddress } from "../../core/address.ts";
import { shellQuoted } from "../../core/shell.ts";
import { explain } from "../../explain/explain.ts";
import type { FallbackHealth } from "../../hostnames/fallback-health.ts";
import type { MovedHostname, ZoneStatus } from "../../hostnames/status.ts";
import type { Stuck } from "../../hostnames/stuck.ts";
import type { FailedZone } from "../../plan/change.ts";
import { fallbackProblems, fallbackSummary } from "./fallback-health.ts";
import { failedZoneDocument, present } from "../plan/json.ts";
import { FORMAT_VERSION } from "../lines/format-version.ts";
import { BLANK, type Line, line, type Printing, printLines } from "../lines/lines.ts";
import { failedLines } from "../lines/sections.ts";
import { moment } from "../lines/moment.ts";
import { counted, named, thousands } from "../lines/words.ts";

/** How many names a section spells out before it only counts; the JSON has all of them. */
const NAMED = 20;

/** The status of zones for people; sections in which there is nothing are left out. */
export function statusText(
  zones: readonly ZoneStatus[],
  printing: Printing,
  failed: readonly FailedZone[] = [],
): string {
  const parts = [...failedLines(failed).map((said) => [said]), ...zones.map(zoneLines)];
  return printLines(
    parts.flatMap((part, index) => (index === 0 ? part : [BLANK, ...part])),
    printing,
  );
}

/** The status of zones for programs, nothing cut. */
export function statusDocument(zones: readonly ZoneStatus[], failed: readonly FailedZone[]): JsonObject {
  return { format_version: FORMAT_VERSION, zones: [...zones.map(zoneDocument), ...failed.map(failedZoneDocument)] };
}

function zoneLines(status: ZoneStatus): Line[] {
  const sections = [
    unfinishedLines(status),
    unansweredLines(status),
    section("held", status.held, undefined, ({ address, reason }) => `${address}: ${reason}`),
    ...stuckSections(status.stuck),
    section("blocked", status.blocked, "blocked", ({ hostname, said }) => [hostname, ...said].join(": ")),
    section("moved", status.moved, "moved", movedSentence),
    section("deleted by the service", status.expired, "expired-hostnames", (name) => name),
    section(
      "expiring",
      status.expiring,
      "pending_expiration",
      ({ hostname, expiresOn, isOver }) =>
        `${hostname}: its certificate ${isOver ? "expired on" : "expires on"} ${moment(expiresOn)}`,
      ({ hostname }) => hostname,
    ),
    section(
      "DNS left",
      status.dnsLeft,
      "does-not-cname",
      (left) => `${left.hostname}: ${left.status}, and does not CNAME to the zone`,
      ({ hostname }) => hostname,
    ),
    ...status.checks.map(({ check, hostnames }) =>
      section(`check ${check}`, hostnames, "denied-live-value", (name) => name),
    ),
  ].flat();
  const foreign =
    status.foreign === 0 ? [] : [line(2, `foreign: ${thousands(status.foreign)}`), toDo("foreign-hostnames")];
  const rest = [...sections, ...(status.fallback ? fallbackProblems(status.fallback) : []), ...foreign];
  return [
    line(0, summary(status), "heading"),
    ...(rest.length > 0
      ? rest
      : [line(2, status.underWay > 0 ? "nothing is stuck" : "nothing that needs anybody", "good")]),
    ...besides(status),
  ];
}

function unfinishedLines({ unfinished, zone }: ZoneStatus): Line[] {
  if (!unfinished) return [];
  const { runs, addresses } = unfinished;
  return [
    line(2, `unfinished: a run that was stopped (${named(runs)}) left ${counted(addresses.length, "object")}`, "warn"),
    line(4, named(addresses)),
    line(4, `to do: finish them: zoneform apply --zone ${shellQuoted(zone.name)}`, "quiet"),
  ];
}

function unansweredLines({ unanswered, zone }: ZoneStatus): Line[] {
  if (!unanswered) return [];
  const { runs, addresses } = unanswered;
  const who = runs.length === 0 ? "" : ` (${named(runs)})`;
  return [
    line(2, `unfinished: a run that saw no answer${who} left ${counted(addresses.length, "object")}`, "warn"),
    line(4, named(addresses)),
    line(4, `to do: finish them: zoneform apply --zone ${shellQuoted(zone.name)}`, "quiet"),
  ];
}

/** One section for each reason, with its names and with what to do. */
function stuckSections(stuck: readonly Stuck[]): Line[][] {
  const reasons = [...new Set(stuck.map(({ reason }) => reason))];
  return reasons.map((reason) =>
    section(
      reason,
      stuck.filter((each) => each.reason === reason),
      reason,
      ({ subject, said }) => [subject, ...said].join(": "),
      ({ subject }) => (parseAddress(subject) ? undefined : subject),
    ),
  );
}

/** What is no trouble, and good to know. */
function besides({ underWay, fallback }: ZoneStatus): Line[] {
  return [
    ...(underWay === 0
      ? []
      : [
          line(
            2,
            `under way: ${thousands(underWay)}; records that customers have to set: zoneform hostname todo`,
            "quiet",
          ),
        ]),
    ...(fallback && fallbackProblems(fallback).length === 0 ? [line(2, fallbackSummary(fallback), "quiet")] : []),
  ];
}

function summary({ zone, live, byStatus }: ZoneStatus): string {
  const parts = Object.entries(byStatus).map(([status, count]) => `${thousands(count)} ${status}`);
  return `${zone.name}: ${counted(live, "custom hostname")}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}

function section<T>(
  title: string,
  found: readonly T[],
  code: string | undefined,
  sentence: (each: T) => string,
  hostnameOf: (each: T) => string | undefined = () => undefined,
): Line[] {
  if (found.length === 0) return [];
  const others = found.length - NAMED;
  return [
    line(2, `${title}: ${thousands(found.length)}`, "warn"),
    ...found.slice(0, NAMED).map((each) => line(4, sentence(each))),
    ...(others > 0 ? [line(4, `and ${thousands(others)} more; all of them with: zoneform status --format json`)] : []),
    ...(code === undefined ? [] : [toDo(code, found.length === 1 ? found.map(hostnameOf)[0] : undefined)]),
  ];
}

/** The remedy in the words of `zoneform explain`, with the name of the hostname where it is about one. */
function toDo(code: string, hostname?: string): Line {
  const { remedy } = explain(code)[0];
  return line(
    4,
    `to do: ${hostname === undefined ? remedy : remedy.replace("HOSTNAME", shellQuoted(hostname))}`,
    "quiet",
  );
}

function movedSentence({ hostname, seenOn, deletedBy }: MovedHostname): string {
  if (seenOn === undefined)
    return `${hostname}: first seen moved now; the service deletes it 7 days after it moved, and nobody saw that`;
  const since = `first seen moved on ${moment(seenOn)}`;
  if (deletedBy === undefined)
    return `${hostname}: ${since}, more than 7 days ago; the service may delete it at any time`;
  return `${hostname}: ${since}; the service deletes it on ${moment(deletedBy)} at the latest`;
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
    ...(status.unfinished ? { unfinished: { ...status.unfinished } } : {}),
    ...(status.unanswered ? { unanswered: { ...status.unanswered } } : {}),
    ...(status.fallback ? { fallback_origin: fallbackDocument(status.fallback) } : {}),
    dns_left: status.dnsLeft.map((each): Json => ({ ...each })),
    checks: status.checks.map((each): Json => ({ ...each })),
    foreign: status.foreign,
  };
}

function fallbackDocument({ origin, status, errors, record, resolves, hostnames }: FallbackHealth): JsonObject {
  return present({ origin, status, errors, record, resolves, hostnames });
}
