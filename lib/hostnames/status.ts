import type { ZoneId } from "../core/brand.ts";
import { optionalText, texts } from "../core/decode.ts";
import type { ZonePlan } from "../plan/change.ts";
import { deniedHostnames } from "../plan/findings.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { isExpired } from "../plan/seen.ts";
import { localAddress } from "../plan/targets.ts";
import { fallbackOrigin } from "../resources/fallback-origin/index.ts";
import type { Live } from "../resources/kind.ts";
import { saysOneOf } from "../service/explanations/texts.ts";
import type { StateObject } from "../state/state.ts";

/** How a zone's custom hostnames fare. Names are in the order in which the service lists them. */
export interface ZoneStatus {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly live: number;
  /** How many there are of each `status`. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Changes that wait (product semantics 4). */
  readonly held: readonly { readonly address: string; readonly reason: string }[];
  readonly blocked: readonly { readonly hostname: string; readonly said: readonly string[] }[];
  readonly moved: readonly MovedHostname[];
  /** Deleted by the service, and declared still. */
  readonly expired: readonly string[];
  readonly expiring: readonly { readonly hostname: string; readonly expiresOn: string; readonly isOver: boolean }[];
  /** Of which the service says that they do not CNAME to the zone. */
  readonly dnsLeft: readonly { readonly hostname: string; readonly status: string }[];
  readonly checks: readonly { readonly check: string; readonly hostnames: readonly string[] }[];
  /** Live hostnames that are neither declared nor known. */
  readonly foreign: number;
  /** Why the fallback origin does not serve; absent where it does, and where the YAML speaks of none. */
  readonly fallbackOrigin?: { readonly origin: string; readonly reason: string; readonly remedy: string };
}

/** A hostname that the service deletes if nothing is done about it. */
export interface MovedHostname {
  readonly hostname: string;
  /** When an apply first saw it moved; absent where none has. It moved at that moment or before. */
  readonly seenOn?: string;
  /** When the service deletes it at the latest, unless its validation is started again. */
  readonly deletedBy: string;
}

/** The description, section 8: a moved hostname is deleted after 7 days. */
const MOVED_RETENTION_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** The status of a zone as it was planned. `horizonMilliseconds` is how soon a certificate must expire to be named. */
export function zoneStatus(input: PlanInput, section: ZonePlan, horizonMilliseconds: number): ZoneStatus {
  const { live, now, desired } = input;
  const hostnames = [...(live.objects.get("custom_hostname")?.values() ?? [])];
  return {
    zone: section.zone,
    live: hostnames.length,
    byStatus: countByStatus(hostnames),
    held: section.changes.flatMap(({ address, held }) => (held ? [{ address, reason: held.reason }] : [])),
    blocked: hostnames.filter(hasStatus("blocked")).map(({ key, status }) => ({
      hostname: key,
      said: texts(status, "verification_errors"),
    })),
    moved: hostnames.filter(hasStatus("moved")).map(({ key }) => movedHostname(key, priorOf(input, key), now)),
    expired: expiredHostnames(input),
    expiring: hostnames.flatMap((hostname) => expiringSoon(hostname, Date.parse(now), horizonMilliseconds)),
    dnsLeft: hostnames
      .filter(({ status }) => saysOneOf(texts(status, "verification_errors"), "does-not-cname"))
      .map(({ key, status }) => ({ hostname: key, status: statusOf(status) })),
    checks: desired.checks
      .map((check) => ({ check: check.name, hostnames: deniedHostnames({ live }, check) }))
      .filter(({ hostnames: found }) => found.length > 0),
    foreign: section.counts.foreign,
    ...fallbackFault(live),
  };
}

/** The health of the fallback origin, as the service tells it. */
function fallbackFault({ objects }: PlanInput["live"]): Pick<ZoneStatus, "fallbackOrigin"> {
  const live = objects.get("fallback_origin")?.get("");
  const readiness = live && fallbackOrigin.readiness?.(live);
  if (!live || !readiness || readiness === "ready") return {};
  const { reason, remedy } = readiness;
  return { fallbackOrigin: { origin: optionalText(live.values, "origin") ?? "", reason, remedy } };
}

/** When a moved hostname dies, from what is known of when it moved: at or before the moment at which it was first seen so. */
export function movedHostname(hostname: string, prior: StateObject | undefined, now: string): MovedHostname {
  const seenOn = prior?.seen?.status === "moved" ? prior.seen.at : undefined;
  const bySeen = seenOn === undefined ? undefined : after(seenOn);
  // It outlived that date: it was validated again and moved once more since, nobody knows when.
  if (seenOn === undefined || bySeen === undefined || bySeen <= now) return { hostname, deletedBy: after(now) };
  return { hostname, seenOn, deletedBy: bySeen };
}

function after(moved: string): string {
  return new Date(Date.parse(moved) + MOVED_RETENTION_MILLISECONDS).toISOString();
}

function countByStatus(hostnames: readonly Live[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { status } of hostnames) counts.set(statusOf(status), (counts.get(statusOf(status)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function hasStatus(wanted: string): (live: Live) => boolean {
  return ({ status }) => statusOf(status) === wanted;
}

function statusOf(status: Live["status"]): string {
  return optionalText(status, "status") ?? "unknown";
}

function priorOf({ state }: PlanInput, hostname: string): StateObject | undefined {
  return state?.objects.get(localAddress("custom_hostname", hostname));
}

/** What is tracked and declared, and is gone in a way that only the service deletes (product semantics 5). */
function expiredHostnames({ state, live, desired, now }: PlanInput): readonly string[] {
  const declared = new Set(desired.objects.filter(({ kind }) => kind === "custom_hostname").map(({ key }) => key));
  const found = live.objects.get("custom_hostname");
  return [...(state?.objects.values() ?? [])]
    .filter((prior) => declared.has(prior.key) && !prior.pending && !found?.has(prior.key) && isExpired(prior, now))
    .map(({ key }) => key);
}

function expiringSoon({ key, status }: Live, now: number, horizonMilliseconds: number): ZoneStatus["expiring"] {
  const expiresOn = optionalText(status, "expires_on");
  const left = expiresOn === undefined ? Number.NaN : Date.parse(expiresOn) - now;
  if (expiresOn === undefined || !(left <= horizonMilliseconds)) return [];
  return [{ hostname: key, expiresOn, isOver: left <= 0 }];
}
