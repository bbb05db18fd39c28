import { type Diagnostic, warning } from "./core/diagnostic.ts";
import type { PlanInput } from "./plan/inputs.ts";
import { newSightings, usefulness } from "./plan/sightings.ts";
import { StateError } from "./state/error.ts";
import { encodeObservation } from "./state/observation.ts";
import { condenseObservations, essence, isOvergrown, type Observations } from "./state/observations.ts";
import type { StateStore } from "./state/store.ts";

/**
 * Keeps what a run that only reads saw of a zone's hostnames, beside its state and without its lock. Where it cannot be
 * kept, that is said, and the run goes on. A zone without a state has nothing that it could be kept beside.
 */
export async function recordSightings(
  store: StateStore,
  input: PlanInput,
  found: Observations,
): Promise<readonly Diagnostic[]> {
  if (!input.state) return [];
  const sightings = newSightings(input);
  const zone = input.desired.id;
  try {
    await store.observe(zone, sightings.map(encodeObservation));
    const isUseful = usefulness(input);
    const useful = [...found.byId.values()].filter((seen) => seen.slice(-1).every(isUseful));
    const needed = useful.reduce((sum, seen) => sum + essence(seen).length, 0);
    if (isOvergrown(found, needed)) await condenseObservations(store, zone, isUseful);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
    return [notKept(thrown)];
  }
}

function notKept({ diagnostic }: StateError): Diagnostic {
  return warning({
    code: "observations-not-kept",
    message: `what this run saw of hostnames is not kept for later runs: ${diagnostic.message}`,
    remedy: "let it write beside the state, or say --no-record",
    ...(diagnostic.at ? { at: diagnostic.at } : {}),
  });
}
