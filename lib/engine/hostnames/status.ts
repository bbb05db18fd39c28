import type { Address, ZoneId } from "../../core/brand.ts";
import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import { isHostname } from "../../kinds/registry.ts";
import type { ZonePlan } from "../../plan/change.ts";
import { deniedHostnames } from "../../plan/findings.ts";
import { type ConfigJudgement, judgeAgainstConfig } from "../../plan/against-config.ts";
import { type DriftJudgement, judgeDrift } from "../../plan/drift.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { MOVED_RETENTION_MILLISECONDS } from "../../kinds/custom-hostname/deleter.ts";
import { deleterOf, lastSeen, serviceNow } from "../../plan/seen.ts";
import { localAddress, hostnameAddress, liveHostnames } from "../../plan/targets.ts";
import {
  waitsForRecords,
  CERTIFICATE_STANDINGS,
  HOSTNAME_STANDINGS,
  isBlockedByCaa,
} from "../../kinds/custom-hostname/states.ts";
import type { Live } from "../../kinds/live.ts";
import { saysOneOf } from "../../service/explanations/statuses.ts";
import type { OriginHealth } from "./origin-health.ts";
import type { StandaloneZones } from "./standalone-zones.ts";
import type { ZoneLock, Unfinished } from "../../state/unfinished.ts";
import type { DriftCheck, LastChecks } from "../../state/observations.ts";
import type { Seen } from "../../state/state.ts";

/** The status of a zone's custom hostnames. Names are in the service's order. */
export interface ZoneStatus {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly live: number;
  /** How many there are of each `status`. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** How many of their certificates each CA issues, and how many expire in each month (`2027-01`). */
  readonly certificates: {
    readonly byAuthority: Readonly<Record<string, number>>;
    readonly byExpiry: Readonly<Record<string, number>>;
  };
  /** Held changes (docs/semantics.md#held-changes). */
  readonly held: readonly { readonly address: string; readonly reason: string }[];
  readonly blocked: readonly { readonly hostname: string; readonly said: readonly string[] }[];
  readonly moved: readonly MovedHostname[];
  /** Hostnames that the service deleted and that are still declared. */
  readonly expired: readonly string[];
  readonly expiring: readonly { readonly hostname: string; readonly expiresOn: string; readonly isOver: boolean }[];
  /** Stuck hostnames and certificates, except hostnames that are blocked or moved. */
  readonly stuck: readonly Stuck[];
  /** How many hostnames the service is still working on, or waiting for. */
  readonly underWay: number;
  /** How many of them may wait for records that their customers set. */
  readonly waitingForRecords: number;
  /** The hostnames that do not CNAME to the zone, according to the service. */
  readonly dnsLeft: readonly { readonly hostname: string; readonly status: string }[];
  readonly checks: readonly { readonly check: string; readonly hostnames: readonly string[] }[];
  /** Hostnames that the application deleted, which is no problem. */
  readonly gone: readonly Address[];
  /** Live hostnames that are neither declared nor tracked. */
  readonly foreign: number;
  /** How live differs from what was applied, or from the YAML if there is no state. */
  readonly judgement: DriftJudgement | ConfigJudgement;
  /** How many foreign rules are reviewed dangers, in a sentence. */
  readonly foreignRules: readonly string[];
  /** There is no state: nothing was applied here, or the state is elsewhere. */
  readonly isStateless?: true;
  /** Absent if the lock is free, or its holder is known to be dead. */
  readonly lock?: ZoneLock;
  /** Absent if no run was stopped halfway. */
  readonly unfinished?: Unfinished;
  /** Absent if every ended run got a response to everything that it sent. */
  readonly unanswered?: Unfinished;
  /** When drift was last checked, and the time by the same clock (RFC 3339); absent without a state. */
  readonly driftChecks?: LastChecks & { readonly now: string };
  /** The last drift checks against this state, oldest first; absent if there are fewer than two. */
  readonly recentChecks?: readonly DriftCheck[];
  /** Absent if they were not checked. */
  readonly origins?: OriginHealth;
  /** Absent without wildcard hostnames, or if they were not checked. */
  readonly standalone?: StandaloneZones;
}

/** A hostname that the service will delete unless the user acts. */
export interface MovedHostname {
  readonly hostname: string;
  /** When a run first saw it moved; absent if this run is the first. It moved at that moment or before. */
  readonly seenOn?: string;
  /**
   * The latest time at which the service deletes it, unless its validation is restarted. Absent if unknown: this run is
   * the first to see it moved, or it outlived the date.
   */
  readonly deletedBy?: string;
}

const EXPIRY: ReadonlySet<string> = new Set(["expired", "pending_expiration"]);

/**
 * The status of a planned zone. `unfinished` maps objects with an unfinished intent to its run, and `horizonMilliseconds` is
 * how soon a certificate must expire to be named.
 */
export function zoneStatus(
  input: PlanInput,
  section: ZonePlan,
  unfinished: ReadonlyMap<string, string>,
  horizonMilliseconds: number,
): ZoneStatus {
  const { live, desired } = input;
  const now = serviceNow(input);
  const hostnames = [...liveHostnames(live).values()];
  const expiring = hostnames.flatMap((hostname) => expiringSoon(hostname, Date.parse(now), horizonMilliseconds));
  const dated = new Set(expiring.map(({ hostname }) => hostname));
  // Expiring certificates are reported with their date.
  const stuck = stuckIn(input).filter(({ subject, reason }) => !EXPIRY.has(reason) || !dated.has(subject));
  const stuckNames = new Set(stuck.map(({ subject }) => subject));
  const underWay = hostnames.filter((live) => isUnderWay(live, stuckNames));
  return {
    zone: section.zone,
    live: hostnames.length,
    byStatus: countBy(hostnames.map(({ status }) => statusOrUnknown(status))),
    certificates: {
      byAuthority: countBy(
        hostnames.flatMap(
          ({ values }) => optionalText(optionalObject(values, "ssl") ?? {}, "certificate_authority") || [],
        ),
      ),
      byExpiry: countBy(hostnames.flatMap(({ status }) => optionalText(status, "expires_on")?.slice(0, 7) ?? [])),
    },
    held: section.changes.flatMap(({ address, held }) => (held ? [{ address, reason: held.reason }] : [])),
    blocked: hostnames.filter(hasStatus("blocked")).map(({ key, status }) => ({
      hostname: key,
      said: texts(status, "verification_errors"),
    })),
    moved: hostnames.filter(hasStatus("moved")).map((live) => movedHostname(live.key, knownOf(input, live), now)),
    expired: expiredHostnames(input),
    expiring,
    stuck,
    underWay: underWay.length,
    waitingForRecords: underWay.filter(waitsForRecords).length,
    dnsLeft: hostnames
      .filter(({ status }) => saysOneOf(texts(status, "verification_errors"), "does-not-cname"))
      .map(({ key, status }) => ({ hostname: key, status: statusOrUnknown(status) })),
    checks: desired.checks
      .map((check) => ({ check: check.name, hostnames: deniedHostnames({ live }, check) }))
      .filter(({ hostnames: found }) => found.length > 0),
    gone: section.gone,
    foreign: section.counts.foreign,
    foreignRules: section.findings.filter(({ code }) => code === "foreign-rules-known").map(({ message }) => message),
    judgement: input.state ? judgeDrift(input, unfinished) : judgeAgainstConfig(input),
    ...(input.state ? {} : { isStateless: true as const }),
    ...(input.state && input.driftChecks ? { driftChecks: { ...input.driftChecks, now } } : {}),
    ...(input.state && input.recentChecks && input.recentChecks.length > 1 ? { recentChecks: input.recentChecks } : {}),
  };
}

/** When the service will delete a moved hostname: it moved at or before the moment at which it was first seen moved. */
export function movedHostname(hostname: string, known: Seen | undefined, now: string): MovedHostname {
  if (known?.status !== "moved") return { hostname };
  const deletedBy = new Date(Date.parse(known.at) + MOVED_RETENTION_MILLISECONDS).toISOString();
  // It outlived that date: the service is late, or the hostname was validated again and has moved once more.
  return Date.parse(deletedBy) > Date.parse(now)
    ? { hostname, seenOn: known.at, deletedBy }
    : { hostname, seenOn: known.at };
}

function isUnderWay({ key, status }: Live, stuck: ReadonlySet<string>): boolean {
  if (["moved", "blocked"].includes(statusOrUnknown(status)) || stuck.has(key)) return false;
  return statusOrUnknown(status) !== "active" || (optionalText(status, "ssl_status") ?? "active") !== "active";
}

/** How often each name is there, by name. */
function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function hasStatus(wanted: string): (live: Live) => boolean {
  return ({ status }) => statusOrUnknown(status) === wanted;
}

function statusOrUnknown(status: Live["status"]): string {
  return optionalText(status, "status") ?? "unknown";
}

/** What was seen of exactly this hostname before this run. */
function knownOf({ state, observed }: PlanInput, { id, key }: Live): Seen | undefined {
  const prior = state?.objects.get(hostnameAddress(key));
  return lastSeen(prior?.id === id ? prior : { observed: observed?.get(id) ?? [] });
}

/**
 * Tracked and declared hostnames that are missing in a way that only the service causes
 * (docs/semantics.md#expired-hostnames).
 */
function expiredHostnames(input: PlanInput): readonly string[] {
  const { state, live, desired } = input;
  const declared = new Set(desired.objects.filter(({ kind }) => isHostname(kind)).map(({ key }) => key));
  const found = liveHostnames(live);
  return [...(state?.objects.values() ?? [])]
    .filter((prior) => declared.has(prior.key) && !prior.pending && !found.has(prior.key))
    .filter((prior) => deleterOf(prior, input) === "service")
    .map(({ key }) => key);
}

function expiringSoon({ key, status }: Live, now: number, horizonMilliseconds: number): ZoneStatus["expiring"] {
  const expiresOn = optionalText(status, "expires_on");
  const left = expiresOn === undefined ? Number.NaN : Date.parse(expiresOn) - now;
  if (expiresOn === undefined || !(left <= horizonMilliseconds)) return [];
  return [{ hostname: key, expiresOn, isOver: left <= 0 }];
}

/** A hostname or certificate that does not continue by itself. */
export interface Stuck {
  /** A hostname, or the address of a certificate pack. */
  readonly subject: string;
  /** Why it is stuck: a code that `zoneform explain` knows. */
  readonly reason: string;
  /** The service's texts about it. */
  readonly said: readonly string[];
}

/** The live hostnames and certificate packs of a zone that wait for a person, not for the service. */
export function stuckIn({ live }: Pick<PlanInput, "live">): readonly Stuck[] {
  const hostnames = [...liveHostnames(live).values()];
  const packs = [...(live.objects.get("certificate_pack")?.values() ?? [])];
  return [
    ...hostnames.flatMap(({ key, status }) => stuck(key, status, hostnameReason(status)) ?? []),
    ...packs.flatMap(({ key, status }) => {
      const reason = certificateReason(optionalText(status, "status"), status);
      return stuck(localAddress("certificate_pack", key), status, reason) ?? [];
    }),
  ];
}

function stuck(subject: string, status: Live["status"], reason: string | undefined): Stuck | undefined {
  const said = [...texts(status, "verification_errors"), ...texts(status, "validation_errors")];
  return reason === undefined ? undefined : { subject, reason, said };
}

function hostnameReason(status: Live["status"]): string | undefined {
  const own = optionalText(status, "status") ?? "unknown";
  if (own === "moved" || own === "blocked") return undefined;
  if (HOSTNAME_STANDINGS[own]?.phase === "final") return own;
  return certificateReason(optionalText(status, "ssl_status"), status);
}

/** CAA records that block the CA do so whatever the status is. */
function certificateReason(certificate: string | undefined, status: Live["status"]): string | undefined {
  if (isBlockedByCaa(status)) return "caa_error";
  return certificate !== undefined && CERTIFICATE_STANDINGS[certificate]?.phase === "final" ? certificate : undefined;
}
