import { optionalText, texts } from "../../core/decode.ts";
import type { Dns } from "../../core/dns.ts";
import { liveHostnames } from "../../plan/targets.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { type DnsRecord, readRecords } from "../checks/fallback-origin.ts";
import { isUnder } from "../checks/names.ts";
import { fallbackOrigin } from "../../kinds/fallback-origin/kind.ts";
import type { Live } from "../../kinds/live.ts";
import type { Client } from "../../service/client.ts";
import { FALLBACK_STATUSES } from "../../service/explanations/statuses.ts";

/** The health of a zone's live fallback origin. */
export interface FallbackHealth {
  /** Absent if the zone has none. */
  readonly origin?: string;
  /** The service's status, `none` without an origin, and its errors. */
  readonly status: string;
  readonly errors: readonly string[];
  /** Its record in the zone; `unreadable` if the credential may not read it, absent without an origin. */
  readonly record?: "proxied" | "unproxied" | "missing" | "unreadable";
  /** Whether DNS knows the name; absent if not queried. `unknown`: DNS gave no answer. */
  readonly resolves?: "yes" | "no" | "unknown";
  /** How many live hostnames lead there: they have no origin of their own. */
  readonly hostnames: number;
  /** Whether the YAML declares one, so that an apply sets it again. */
  readonly isDeclared: boolean;
}

/** The health of a custom origin whose name is in the zone. */
export interface CustomOrigin {
  readonly origin: string;
  /** `unreadable` if the credential may not read the zone's records. */
  readonly record: "found" | "missing" | "unreadable";
  /** How many live hostnames lead there. */
  readonly hostnames: number;
}

/** Where the hostnames of a zone lead. */
export interface OriginHealth {
  /** Absent if no hostname leads there and the YAML declares none. */
  readonly fallback?: FallbackHealth;
  readonly customOrigins: readonly CustomOrigin[];
}

/**
 * Checks the fallback origin and the custom origins of a zone, with reads only: it reads one record, or all records
 * once if hostnames have their own origins. Queries DNS if given. Throws what the client throws.
 */
export async function originHealth(
  client: Client,
  input: PlanInput,
  dns: Dns | undefined,
  signal?: AbortSignal,
): Promise<OriginHealth> {
  const { desired } = input;
  const users = hostnamesByOrigin(input);
  const hostnames = users.get(undefined) ?? 0;
  const isDeclared = desired.objects.some(({ kind }) => kind === "fallback_origin");
  const isUsed = hostnames > 0 || isDeclared;
  const live = isUsed ? await liveOrigin(client, input, signal) : undefined;
  const origin = live && optionalText(live.values, "origin");
  const custom = [...users].flatMap(([name, count]) =>
    name !== undefined && isUnder(name, desired.name) ? [{ origin: name, hostnames: count }] : [],
  );
  const isRead = origin !== undefined || custom.length > 0;
  const records = isRead
    ? await readRecords(client, desired.id, custom.length > 0 ? undefined : origin, signal)
    : undefined;
  const customOrigins = custom.map((each) => ({ ...each, record: customRecordIn(records, each.origin) }));
  if (!isUsed) return { customOrigins };
  if (live === undefined || origin === undefined)
    return { fallback: { status: "none", errors: [], hostnames, isDeclared }, customOrigins };
  const fallback = {
    origin,
    status: optionalText(live.status, "status") ?? "unknown",
    errors: texts(live.status, "errors"),
    record: recordIn(records, origin),
    ...(dns ? { resolves: await resolves(dns, origin) } : {}),
    hostnames,
    isDeclared,
  };
  return { fallback, customOrigins };
}

/** Statuses of a fallback origin that serves traffic, or will within minutes. */
const SERVES_SOON: ReadonlySet<string> = new Set(["active", "initializing", "pending_deployment"]);

/** Whether live hostnames have an origin that leads nowhere, so that their visitors see an error. */
export function leadsNowhere({ fallback, customOrigins }: OriginHealth): boolean {
  if (customOrigins.some(({ record }) => record === "missing")) return true;
  if (!fallback || fallback.hostnames === 0) return false;
  const { status, record, resolves: answer } = fallback;
  return !SERVES_SOON.has(status) || record === "missing" || record === "unproxied" || answer === "no";
}

/** How many live hostnames each origin has; undefined stands for the fallback origin. */
function hostnamesByOrigin({ live }: PlanInput): ReadonlyMap<string | undefined, number> {
  const users = new Map<string | undefined, number>();
  for (const { values } of liveHostnames(live).values()) {
    const origin = optionalText(values, "custom_origin_server")?.toLowerCase();
    users.set(origin, (users.get(origin) ?? 0) + 1);
  }
  return users;
}

async function liveOrigin(
  client: Client,
  { desired, live }: PlanInput,
  signal?: AbortSignal,
): Promise<Live | undefined> {
  const read = live.objects.get("fallback_origin");
  return read ? read.get("") : fallbackOrigin.read(client, desired.id, { id: desired.id, key: "" }, signal);
}

function recordIn(records: readonly DnsRecord[] | undefined, origin: string): NonNullable<FallbackHealth["record"]> {
  if (records === undefined) return "unreadable";
  const own = records.filter(({ name }) => name === origin);
  if (own.length === 0) return "missing";
  return own.some(({ proxied }) => proxied) ? "proxied" : "unproxied";
}

/**
 * A custom origin need not be proxied (docs/service.md#custom-hostname-record), and a wildcard record leads to it too.
 */
function customRecordIn(records: readonly DnsRecord[] | undefined, origin: string): CustomOrigin["record"] {
  if (records === undefined) return "unreadable";
  const leadsThere = ({ name }: DnsRecord): boolean =>
    name === origin || (name.startsWith("*.") && origin.endsWith(name.slice(1)));
  return records.some(leadsThere) ? "found" : "missing";
}

async function resolves(dns: Dns, origin: string): Promise<NonNullable<FallbackHealth["resolves"]>> {
  const { status } = await dns.resolveAddresses(origin);
  if (status === "found") return "yes";
  return status === "failed" ? "unknown" : "no";
}

/** What a status of the fallback origin means; undefined for `active` and for an unknown status. */
export function fallbackMeaning(status: string): { readonly cause: string; readonly remedy: string } | undefined {
  return FALLBACK_STATUSES[status];
}
