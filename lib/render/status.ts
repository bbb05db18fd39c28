import type { Json, JsonObject } from "../core/json.ts";
import { explain } from "../explain/explain.ts";
import type { MovedHostname, ZoneStatus } from "../hostnames/status.ts";
import { FORMAT_VERSION, present } from "./json.ts";
import { BLANK, type Line, line, type Printing, printLines } from "./lines.ts";
import { moment } from "./moment.ts";
import { counted, thousands } from "./words.ts";

/** How many names a section spells out before it only counts; the JSON has all of them. */
const NAMED = 20;

/** The status of zones for people; sections in which there is nothing are left out. */
export function statusText(zones: readonly ZoneStatus[], printing: Printing): string {
  const parts = zones.map(zoneLines);
  return printLines(
    parts.flatMap((part, index) => (index === 0 ? part : [BLANK, ...part])),
    printing,
  );
}

/** The status of zones for programs, nothing cut. */
export function statusDocument(zones: readonly ZoneStatus[]): JsonObject {
  return { format_version: FORMAT_VERSION, zones: zones.map(zoneDocument) };
}

function zoneLines(status: ZoneStatus): Line[] {
  const sections = [
    section("held", status.held, undefined, ({ address, reason }) => `${address}: ${reason}`),
    section("blocked", status.blocked, "blocked", ({ hostname, said }) => [hostname, ...said].join(": ")),
    section("moved", status.moved, "moved", movedSentence),
    section("deleted by the service", status.expired, "expired-hostnames", (name) => name),
    section(
      "expiring",
      status.expiring,
      "pending_expiration",
      ({ hostname, expiresOn, isOver }) =>
        `${hostname}: its certificate ${isOver ? "expired on" : "expires on"} ${moment(expiresOn)}`,
    ),
    section(
      "DNS left",
      status.dnsLeft,
      "does-not-cname",
      (left) => `${left.hostname}: ${left.status}, and does not CNAME to the zone`,
    ),
    ...status.checks.map(({ check, hostnames }) =>
      section(`check ${check}`, hostnames, "denied-live-value", (name) => name),
    ),
  ].flat();
  const foreign =
    status.foreign === 0 ? [] : [line(2, `foreign: ${thousands(status.foreign)}`), toDo("foreign-hostnames")];
  const rest = [...fallbackLines(status), ...sections, ...foreign];
  return [
    line(0, summary(status), "heading"),
    ...(rest.length > 0 ? rest : [line(2, "nothing that needs anybody", "good")]),
  ];
}

function fallbackLines({ fallbackOrigin }: ZoneStatus): Line[] {
  if (!fallbackOrigin) return [];
  const { origin, reason, remedy } = fallbackOrigin;
  return [line(2, `fallback origin ${origin}: ${reason}`, "bad"), line(4, `to do: ${remedy}`, "quiet")];
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
): Line[] {
  if (found.length === 0) return [];
  const others = found.length - NAMED;
  return [
    line(2, `${title}: ${thousands(found.length)}`, "warn"),
    ...found.slice(0, NAMED).map((each) => line(4, sentence(each))),
    ...(others > 0 ? [line(4, `and ${thousands(others)} more; all of them with: zoneform status --format json`)] : []),
    ...(code === undefined ? [] : [toDo(code)]),
  ];
}

/** The remedy in the words of `zoneform explain`. */
function toDo(code: string): Line {
  return line(4, `to do: ${explain(code)[0].remedy}`, "quiet");
}

function movedSentence({ hostname, seenOn, deletedBy }: MovedHostname): string {
  const basis = seenOn === undefined ? "it was not seen moved before" : `first seen moved on ${moment(seenOn)}`;
  return `${hostname}: the service deletes it on ${moment(deletedBy)} at the latest (${basis})`;
}

function zoneDocument(status: ZoneStatus): JsonObject {
  return {
    zone: { id: status.zone.id, name: status.zone.name },
    live: status.live,
    by_status: status.byStatus,
    held: status.held.map((each) => ({ ...each })),
    blocked: status.blocked.map(({ hostname, said }) => ({ hostname, verification_errors: said })),
    moved: status.moved.map(({ hostname, seenOn, deletedBy }) =>
      present({ hostname, first_seen_moved: seenOn, deleted_at_the_latest: deletedBy }),
    ),
    deleted_by_service: status.expired,
    expiring: status.expiring.map(({ hostname, expiresOn, isOver }) => ({
      hostname,
      expires_on: expiresOn,
      is_over: isOver,
    })),
    dns_left: status.dnsLeft.map((each): Json => ({ ...each })),
    checks: status.checks.map((each): Json => ({ ...each })),
    foreign: status.foreign,
    ...(status.fallbackOrigin ? { fallback_origin: { ...status.fallbackOrigin } } : {}),
  };
}
