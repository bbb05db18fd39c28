import type { ZoneId } from "../../core/brand.ts";
import type { StateStore } from "../store.ts";

/** What a store has of observed hostnames, and what it takes. */
type Observing = Pick<StateStore, "observations" | "observe">;

/** The observed lines of one store that the other one lacks. */
export async function missingObservations(
  from: Pick<Observing, "observations">,
  to: Pick<Observing, "observations">,
  zone: ZoneId,
): Promise<readonly string[]> {
  const known = new Set<string>();
  for await (const line of to.observations(zone)) known.add(line);
  const missing: string[] = [];
  for await (const line of from.observations(zone)) if (!known.has(line)) missing.push(line);
  return missing;
}

/** Adds the observed lines that a store lacks. Doing it twice is doing it once. */
export async function copyObservations(
  from: Pick<Observing, "observations">,
  to: Observing,
  zone: ZoneId,
): Promise<void> {
  const missing = await missingObservations(from, to, zone);
  if (missing.length > 0) await to.observe(zone, missing);
}
