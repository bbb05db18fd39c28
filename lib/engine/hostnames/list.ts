import type { DesiredZone } from "../../config/desired.ts";
import { matcherOf, normaliseHostname } from "../../config/match.ts";
import { optionalText } from "../../core/decode.ts";
import { defined } from "../../core/json.ts";
import { type HostnameDetails, listDetails } from "../../kinds/custom-hostname/details.ts";
import { fallbackOrigin } from "../../kinds/fallback-origin/kind.ts";
import type { Client } from "../../service/client.ts";

/** Selects hostnames by the service's statuses and by name patterns; one pattern has to match. */
export interface HostnameFilter {
  readonly status?: string | undefined;
  readonly sslStatus?: string | undefined;
  /** Names in which `*` stands for any characters; empty for all. */
  readonly patterns: readonly string[];
}

/** The hostnames of a zone that match a filter, in the order of the service. */
export async function* hostnames(
  client: Client,
  zone: DesiredZone,
  { status, sslStatus, patterns }: HostnameFilter,
  signal?: AbortSignal,
): AsyncIterable<HostnameDetails> {
  const query = {
    ...defined({ hostname_status: status, ssl_status: sslStatus }),
  };
  const isWanted = hostnameMatcher(patterns);
  for await (const hostname of listDetails(client, zone.id, query, signal)) {
    // The filters are checked again here, because not every service applies them.
    if (status !== undefined && hostname.live.status["status"] !== status) continue;
    if (sslStatus !== undefined && hostname.live.status["ssl_status"] !== sslStatus) continue;
    if (isWanted(hostname.live.key)) yield hostname;
  }
}

function hostnameMatcher(patterns: readonly string[]): (hostname: string) => boolean {
  if (patterns.length === 0) return () => true;
  const matches = matcherOf({ hostname: patterns.map(normaliseHostname), metadata: {}, label: {} });
  return (hostname) => matches({ hostname, metadata: {}, labels: {} });
}

/**
 * The name that customers point theirs at: the live fallback origin, else the declared one, else the zone's own name.
 */
export async function readTarget(client: Client, zone: DesiredZone, signal?: AbortSignal): Promise<string> {
  const live = await fallbackOrigin.read(client, zone.id, { id: zone.id, key: "" }, signal);
  const declared = zone.objects.find(({ kind }) => kind === "fallback_origin")?.values;
  return optionalText(live?.values ?? {}, "origin") ?? optionalText(declared ?? {}, "origin") ?? zone.name;
}
