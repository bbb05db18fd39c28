import { optionalText, texts } from "../core/decode.ts";
import type { Dns } from "../core/dns.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { readRecords } from "../preflight/fallback-origin.ts";
import { fallbackOrigin } from "../kinds/fallback-origin/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Client } from "../service/client.ts";
import { FALLBACK_STATUSES } from "../service/explanations/statuses.ts";

/** How the live fallback origin of a zone fares. */
export interface FallbackHealth {
  /** Absent where the zone has none. */
  readonly origin?: string;
  /** What the service says of it: its status, `none` where there is none, and its errors. */
  readonly status: string;
  readonly errors: readonly string[];
  /** Its record in the zone; `unreadable` where the credential may not see it, absent where there is no origin. */
  readonly record?: "proxied" | "unproxied" | "missing" | "unreadable";
  /** Whether DNS knows the name; absent where it was not asked. `unknown`: DNS gave no answer. */
  readonly resolves?: "yes" | "no" | "unknown";
  /** So many live hostnames lead there: they have no origin of their own. */
  readonly hostnames: number;
  /** Whether the YAML declares one, so that an apply sets it again. */
  readonly isDeclared: boolean;
}

/**
 * Looks at the fallback origin of a zone, by reads only; DNS is asked where one is given. Undefined where the zone has no
 * hostnames that lead there and declares none. Throws what the client throws.
 */
export async function fallbackHealth(
  client: Client,
  input: PlanInput,
  dns: Dns | undefined,
  signal?: AbortSignal,
): Promise<FallbackHealth | undefined> {
  const { desired } = input;
  const hostnames = hostnamesLeadingThere(input);
  const isDeclared = desired.objects.some(({ kind }) => kind === "fallback_origin");
  if (hostnames === 0 && !isDeclared) return undefined;
  const live = await liveOrigin(client, input, signal);
  const origin = live && optionalText(live.values, "origin");
  if (live === undefined || origin === undefined) return { status: "none", errors: [], hostnames, isDeclared };
  const records = await readRecords(client, desired.id, origin, signal);
  return {
    origin,
    status: optionalText(live.status, "status") ?? "unknown",
    errors: texts(live.status, "errors"),
    record: recordIn(records),
    ...(dns ? { resolves: await resolves(dns, origin) } : {}),
    hostnames,
    isDeclared,
  };
}

function hostnamesLeadingThere({ live }: PlanInput): number {
  const hostnames = [...(live.objects.get("custom_hostname")?.values() ?? [])];
  return hostnames.filter(({ values }) => optionalText(values, "custom_origin_server") === undefined).length;
}

async function liveOrigin(
  client: Client,
  { desired, live }: PlanInput,
  signal?: AbortSignal,
): Promise<Live | undefined> {
  const read = live.objects.get("fallback_origin");
  return read ? read.get("") : fallbackOrigin.read(client, desired.id, { id: desired.id, key: "" }, signal);
}

function recordIn(records: Awaited<ReturnType<typeof readRecords>>): NonNullable<FallbackHealth["record"]> {
  if (records === undefined) return "unreadable";
  if (records.length === 0) return "missing";
  return records.some(({ proxied }) => proxied) ? "proxied" : "unproxied";
}

async function resolves(dns: Dns, origin: string): Promise<NonNullable<FallbackHealth["resolves"]>> {
  const { status } = await dns.resolveAddresses(origin);
  if (status === "found") return "yes";
  return status === "failed" ? "unknown" : "no";
}

/** What a status of the fallback origin means; undefined for `active`, and for one that nobody here knows. */
export function fallbackMeaning(status: string): { readonly cause: string; readonly remedy: string } | undefined {
  return FALLBACK_STATUSES[status];
}
