import { optionalText } from "../../core/decode.ts";
import type { Dns } from "../../core/dns.ts";
import type { Change, ZonePlan } from "../../plan/change.ts";
import { refusalOfDenied } from "../../plan/guards.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { writeOf } from "../../plan/write.ts";
import type { Client } from "../../service/client.ts";
import { readRecords } from "./fallback-origin.ts";

/** What was seen of a name: what is wrong with it, or that it cannot be told. */
type Seen = { readonly because: string } | { readonly note: string } | undefined;

/**
 * The section with the hazards that only an observation shows: an outage where a fallback origin is set to a name that
 * does not lead to a proxied record of the zone. They stand beside the plan and are in no digest. DNS, where it is at
 * hand, is asked only where the credential may not read the zone's records.
 */
export async function addObserved(
  client: Client,
  input: PlanInput,
  section: ZonePlan,
  dns?: Dns,
  signal?: AbortSignal,
): Promise<ZonePlan> {
  const change = section.changes.find(setsOrigin);
  const origin = change?.desired && optionalText(change.desired, "origin");
  if (!change || origin === undefined) return section;
  const seen = await see(client, input, origin, dns, signal);
  const changes = section.changes.map((each) => (each === change ? withSeen(change, input, seen) : each));
  return { ...section, changes };
}

function setsOrigin(change: Change): boolean {
  return change.kind === "fallback_origin" && (writeOf(change) === "create" || writeOf(change) === "update");
}

async function see(
  client: Client,
  { desired }: PlanInput,
  origin: string,
  dns: Dns | undefined,
  signal: AbortSignal | undefined,
): Promise<Seen> {
  const records = await readRecords(client, desired.id, origin, signal);
  if (records === undefined) return seeByDns(origin, dns);
  if (records.length === 0) return { because: `${desired.name} has no A, AAAA or CNAME record for ${origin}` };
  return records.some(({ proxied }) => proxied) ? undefined : { because: `the record of ${origin} is not proxied` };
}

async function seeByDns(origin: string, dns: Dns | undefined): Promise<Seen> {
  const answer = await dns?.resolveAddresses(origin);
  if (answer?.status === "not-found" || answer?.status === "no-answer")
    return { because: `${origin} does not resolve` };
  return { note: `whether ${origin} has a proxied record cannot be told: the token lacks DNS Read for the zone` };
}

function withSeen(change: Change, { selection }: PlanInput, seen: Seen): Change {
  if (!seen) return change;
  if ("note" in seen) return { ...change, notes: [...change.notes, seen.note] };
  const observed = [{ hazard: "outage", because: seen.because } as const];
  const isDenied = selection.deny.includes("outage") && !change.refused;
  return { ...change, observed, ...(isDenied ? { refused: refusalOfDenied("outage") } : {}) };
}
