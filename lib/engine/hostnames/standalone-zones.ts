import { text } from "../../core/decode.ts";
import { valueAt } from "../../core/json.ts";
import { climb } from "../checks/names.ts";
import { liveHostnames } from "../../plan/targets.ts";
import type { Live } from "../../kinds/live.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { isNotAllowed } from "../../service/errors.ts";
import type { Client } from "../../service/client.ts";

/**
 * Wildcard hostnames whose domain is a zone of its own: that zone takes precedence, and visitors of names that only the
 * wildcard covers see error 1016 (docs/service.md#traffic).
 */
export interface StandaloneZones {
  /** The wildcard hostnames that were compared. */
  readonly wildcards: number;
  readonly overruled: readonly { readonly hostname: string; readonly zone: string }[];
  /** How many zones the credential can read; absent if it may not list them. Zones of other accounts never show. */
  readonly zones?: number;
}

/**
 * Compares the wildcard hostnames with the zones that the credential can read (`readableZones`), which are read only if
 * there is one. Undefined without wildcard hostnames. Throws what the client throws.
 */
export async function standaloneZones(
  { live }: PlanInput,
  readable: () => Promise<ReadonlySet<string> | undefined>,
): Promise<StandaloneZones | undefined> {
  const wildcards = [...liveHostnames(live).values()].filter(isWildcard);
  if (wildcards.length === 0) return undefined;
  const zones = await readable();
  if (!zones) return { wildcards: wildcards.length, overruled: [] };
  const overruled = wildcards.flatMap(({ key }) => {
    const zone = climb(key).find((name) => zones.has(name));
    return zone === undefined ? [] : [{ hostname: key, zone }];
  });
  return { wildcards: wildcards.length, overruled, zones: zones.size };
}

function isWildcard({ key, values }: Live): boolean {
  return key.startsWith("*.") || valueAt(values, ["ssl", "wildcard"]) === true;
}

/** The names of all zones that the credential can read, 50 per page; undefined if it may not list them. */
export async function readableZones(client: Client, signal?: AbortSignal): Promise<ReadonlySet<string> | undefined> {
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
