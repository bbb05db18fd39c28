import { text } from "../core/decode.ts";
import { valueAt } from "../core/json.ts";
import type { Live } from "../kinds/live.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { isNotAllowed } from "../service/errors.ts";
import type { Client } from "../service/client.ts";

/**
 * Wildcard hostnames whose domain is a zone of its own: that zone takes precedence, and visitors of names that only the
 * wildcard covers see error 1016 (docs/service.md#traffic).
 */
export interface StandaloneZones {
  /** The wildcard hostnames that were compared. */
  readonly wildcards: number;
  readonly overruled: readonly { readonly hostname: string; readonly zone: string }[];
  /** How many zones the credential can read; absent where it may not list them. Zones of others never show. */
  readonly zones?: number;
}

/**
 * Compares the wildcard hostnames with the zones that the credential can read, listed 50 at a time. Undefined where there
 * is no wildcard hostname. Throws what the client throws.
 */
export async function standaloneZones(
  client: Client,
  { live }: PlanInput,
  signal?: AbortSignal,
): Promise<StandaloneZones | undefined> {
  const wildcards = [...(live.objects.get("custom_hostname")?.values() ?? [])].filter(isWildcard);
  if (wildcards.length === 0) return undefined;
  const zones = await readableZones(client, signal);
  if (!zones) return { wildcards: wildcards.length, overruled: [] };
  const overruled = wildcards.flatMap(({ key }) => {
    const zone = zoneAbove(key.replace(/^\*\./, ""), zones);
    return zone === undefined ? [] : [{ hostname: key, zone }];
  });
  return { wildcards: wildcards.length, overruled, zones: zones.size };
}

function isWildcard({ key, values }: Live): boolean {
  return key.startsWith("*.") || valueAt(values, ["ssl", "wildcard"]) === true;
}

async function readableZones(client: Client, signal?: AbortSignal): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  try {
    const pages = client.pages({ path: "/zones", family: "zones", pageSizes: [50], style: "page" }, signal);
    for await (const zone of pages) names.add(text(zone, "name"));
    return names;
  } catch (failure) {
    if (isNotAllowed(failure)) return undefined;
    throw failure;
  }
}

/** The zone that the domain is, or lies in; undefined if it is in none of these. */
function zoneAbove(domain: string, zones: ReadonlySet<string>): string | undefined {
  const labels = domain.split(".");
  return labels.map((_label, index) => labels.slice(index).join(".")).find((name) => zones.has(name));
}
