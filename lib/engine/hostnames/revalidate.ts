import { type Diagnostic, error, problem, Refusal } from "../../core/diagnostic.ts";
import type { DesiredZone } from "../../config/desired.ts";
import { normaliseHostname } from "../../config/match.ts";
import { optionalText } from "../../core/decode.ts";
import { type JsonObject, valueAt } from "../../core/json.ts";
import { isHostname } from "../../kinds/registry.ts";
import { find, read, restartValidation } from "../../kinds/custom-hostname/remote.ts";
import { isBlockedByCaa, standingOf } from "../../kinds/custom-hostname/states.ts";
import type { Live } from "../../kinds/live.ts";
import type { Client, FreshClient } from "../../service/client.ts";
import { explainFailure } from "../../service/explain-failure.ts";

/** `revalidate` restarts any unfinished validation; `retry` only one that does not continue by itself. */
export type Revalidation = "revalidate" | "retry";

/** A hostname as found. */
export interface FoundHostname {
  readonly zone: DesiredZone;
  readonly live: Live;
}

/** The outcome for one hostname. */
export interface Revalidated extends FoundHostname {
  readonly outcome:
    | { readonly status: "done"; readonly after: JsonObject }
    /** There is a reason by now to leave it alone: nothing was sent. */
    | { readonly status: "left"; readonly reason: string }
    | { readonly status: "failed"; readonly diagnostic: Diagnostic }
    | { readonly status: "not-started" };
}

/**
 * Finds hostnames by name, each in exactly one zone: the zone that declares it, else where it is live. Throws `Refusal`
 * with every name that is in no zone or in several, and what the client throws.
 */
export async function findHostnames(
  client: Client,
  zones: readonly DesiredZone[],
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly FoundHostname[]> {
  const found: FoundHostname[] = [];
  const faults: Diagnostic[] = [];
  for (const name of new Set(names.map(normaliseHostname))) {
    const places = await placesOf(client, zones, name, signal);
    const [place] = places;
    if (place && places.length === 1) found.push(place);
    else faults.push(place ? inSeveralZones(name, places) : nowhere(name, zones));
  }
  if (faults.length > 0) throw new Refusal(faults);
  return found;
}

async function placesOf(
  client: Client,
  zones: readonly DesiredZone[],
  name: string,
  signal?: AbortSignal,
): Promise<readonly FoundHostname[]> {
  const declaring = zones.filter(({ objects }) => objects.some(({ kind, key }) => isHostname(kind) && key === name));
  const places: FoundHostname[] = [];
  for (const zone of declaring.length > 0 ? declaring : zones) {
    const live = await find(client, zone.id, name, signal);
    if (live) places.push({ zone, live });
  }
  return places;
}

function nowhere(name: string, zones: readonly DesiredZone[]): Diagnostic {
  const message = `${JSON.stringify(name)} is not a live hostname of ${zones.map((zone) => zone.name).join(", ")}`;
  return error(problem("unknown-hostname", { message }));
}

function inSeveralZones(name: string, places: readonly FoundHostname[]): Diagnostic {
  const names = places.map(({ zone }) => zone.name);
  const values = { hostname: JSON.stringify(name), zones: names.join(" and "), name: names[0] ?? "" };
  return error(problem("ambiguous-hostname", values));
}

/** Why a hostname is left alone; undefined if its validation is restarted. */
export function reasonToLeave(live: Live, how: Revalidation): string | undefined {
  const { status, values } = live;
  const [own, certificate] = [optionalText(status, "status"), optionalText(status, "ssl_status")];
  if (typeof valueAt(values, ["ssl", "method"]) !== "string")
    return "Cloudflare issues no certificate for it, so there is no validation to restart";
  const { phase } = standingOf(live);
  if (phase === "active") return "it is active, and so is its certificate";
  if (how === "revalidate" || phase === "final") return undefined;
  return `it is ${own ?? "unknown"} and its certificate is ${certificate ?? "unknown"}: Cloudflare is still working on it; to restart it anyway: zoneform hostname revalidate ${live.key}`;
}

/** What the user should do first, because restarting the validation alone does not help; undefined for nothing. */
export function adviceOn({ status }: Live): string | undefined {
  return isBlockedByCaa(status)
    ? "CAA records of the domain block the CA: the customer must allow it, or choose another certificate_authority and apply"
    : undefined;
}

/**
 * Restarts the validations, one after the other, each with `ssl` as it is just before. Yields each outcome, including
 * failures; after an interruption the rest is not started.
 */
export async function* revalidate(
  client: FreshClient,
  chosen: readonly FoundHostname[],
  how: Revalidation,
  signal?: AbortSignal,
): AsyncGenerator<Revalidated> {
  for (const each of chosen) {
    if (signal?.aborted) yield { ...each, outcome: { status: "not-started" } };
    else yield { ...each, outcome: await outcomeOf(client, each, how, signal) };
  }
}

const GONE = error(problem("unknown-hostname", { message: "it was deleted in the meantime" }));

/** A read and an edit, which may order a certificate. */
const NEEDS = { calls: 2, issuances: 0, reissues: 1 };

async function outcomeOf(
  client: FreshClient,
  { zone, live: before }: FoundHostname,
  how: Revalidation,
  signal?: AbortSignal,
): Promise<Revalidated["outcome"]> {
  const attempt = async (fresh: Client): Promise<Revalidated["outcome"]> => {
    const live = await read(fresh, zone.id, before, signal);
    if (!live) return { status: "failed", diagnostic: GONE };
    const reason = reasonToLeave(live, how);
    if (reason !== undefined) return { status: "left", reason };
    return { status: "done", after: (await restartValidation(fresh, zone.id, live, signal)).status };
  };
  try {
    return await client.freshly(NEEDS, attempt, signal);
  } catch (thrown) {
    if (signal?.aborted && thrown === signal.reason) return { status: "not-started" };
    return { status: "failed", diagnostic: explainFailure(thrown) };
  }
}
