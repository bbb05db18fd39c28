import { type Diagnostic, error, problem, Refusal } from "../../core/diagnostic.ts";
import type { DesiredZone } from "../../config/desired.ts";
import { normaliseHostname } from "../../config/match.ts";
import type { ZoneId } from "../../core/brand.ts";
import { isHostname } from "../../kinds/registry.ts";
import type { Client } from "../../service/client.ts";
import { explainFailure } from "../../service/explain-failure.ts";

/** How many hosts one call may purge; 30 under the old limits (docs/service.md#cache-purge). */
export const HOSTS_PER_CALL = 100;

/** Hosts of one zone that one call purges. */
export interface Purge {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly hosts: readonly string[];
}

/**
 * The outcome for the hosts of one call. Done means that the service accepted it; purging itself takes some seconds.
 */
export interface Purged extends Purge {
  readonly outcome:
    | { readonly status: "done" }
    | { readonly status: "failed"; readonly diagnostic: Diagnostic }
    | { readonly status: "not-started" };
}

/**
 * The calls that purge hosts, each host once. A host belongs to the zone that declares it or whose domain it is in;
 * else to the only zone of the project, where an application may have created it. Throws `Refusal` with every host that
 * is no name, or whose zone is unclear.
 */
export function purgesOf(
  zones: readonly DesiredZone[],
  hosts: readonly string[],
  perCall: number = HOSTS_PER_CALL,
): readonly Purge[] {
  const byZone = new Map<DesiredZone, string[]>();
  const faults: Diagnostic[] = [];
  for (const host of new Set(hosts.map(normaliseHostname))) {
    const zone = zoneOf(zones, host);
    if (!isHost(host)) faults.push(noHost(host));
    else if (!zone) faults.push(anywhere(host, zones));
    else byZone.set(zone, [...(byZone.get(zone) ?? []), host]);
  }
  if (faults.length > 0) throw new Refusal(faults);
  return [...byZone].flatMap(([{ id, name }, found]) =>
    chunks(found, perCall).map((part) => ({ zone: { id, name }, hosts: part })),
  );
}

function zoneOf(zones: readonly DesiredZone[], host: string): DesiredZone | undefined {
  const isDeclared = ({ objects }: DesiredZone): boolean =>
    objects.some(({ kind, key }) => isHostname(kind) && key === host);
  const below = zones.filter(({ name }) => host === name || host.endsWith(`.${name}`));
  const nearest = [...below].sort((left, right) => right.name.length - left.name.length)[0];
  return zones.find(isDeclared) ?? nearest ?? (zones.length === 1 ? zones[0] : undefined);
}

/** A purge is by exact host: a pattern would purge nothing, and seem to succeed. */
function isHost(host: string): boolean {
  return host.length <= 255 && /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]+$/.test(host);
}

function noHost(host: string): Diagnostic {
  const what = host.includes("*") ? "a pattern; a purge needs exact hosts" : "not a host";
  return error(problem("not-a-host", { host: JSON.stringify(host), what }));
}

function anywhere(host: string, zones: readonly DesiredZone[]): Diagnostic {
  return error({
    code: "unknown-hostname",
    message: `${JSON.stringify(host)} is not declared, and is not a name below one of the zones ${zones.map(({ name }) => name).join(", ")}`,
    remedy: "say which zone it belongs to with --zone NAME",
  });
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_each, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Purges call by call. Yields each outcome, including failures; after an interruption the rest is not started. */
export async function* purge(client: Client, purges: readonly Purge[], signal?: AbortSignal): AsyncGenerator<Purged> {
  for (const each of purges) {
    if (signal?.aborted) yield { ...each, outcome: { status: "not-started" } };
    else yield { ...each, outcome: await purgeZone(client, each, signal) };
  }
}

async function purgeZone(client: Client, { zone, hosts }: Purge, signal?: AbortSignal): Promise<Purged["outcome"]> {
  try {
    const path = `/zones/${zone.id}/purge_cache`;
    await client.send({ method: "POST", path, body: { hosts }, family: "purge" }, signal);
    return { status: "done" };
  } catch (thrown) {
    if (signal?.aborted && thrown === signal.reason) return { status: "not-started" };
    return { status: "failed", diagnostic: explainFailure(thrown) };
  }
}
