import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { defined } from "../core/json.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { serviceNow } from "../plan/seen.ts";
import { newSightings, usefulness } from "../plan/sightings.ts";
import type { ServiceClock } from "../service/client.ts";
import { StateError } from "../state/error.ts";
import {
  believed,
  believedChecks,
  condenseObservations,
  encodeObservation,
  essence,
  isOvergrown,
  checksOf,
  lastChecks,
  neededChecks,
  type Observations,
  readObservations,
  withObserved,
} from "../state/observations.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import type { ProjectWorld } from "./world.ts";

/** Now, by the local clock and, once the service has responded, by its clock. */
export function timesOf(clock: Clock, client: ServiceClock): Pick<PlanInput, "now" | "serviceNow"> {
  const said = client.serviceTime();
  return {
    now: new Date(clock.now()).toISOString(),
    ...(said === undefined ? {} : { serviceNow: new Date(said).toISOString() }),
  };
}

/**
 * A plan's input, with what other runs observed of its hostnames. With `records`, this run's observations are recorded
 * for later ones. A damaged record is reported and does not stop the run.
 */
export async function withObservations(
  { store, clock, note }: Pick<ProjectWorld, "store" | "clock" | "note">,
  client: ServiceClock,
  input: PlanInput,
  records: boolean,
): Promise<PlanInput> {
  const observations = await readObservations(store, input.desired.id);
  const times = timesOf(clock, client);
  const observed = believed(observations, serviceNow(times));
  const lineage = input.state?.lineage;
  const checks = believedChecks(observations, serviceNow(times));
  const known = {
    ...input,
    ...times,
    observed,
    // A place that cannot keep observations does not know about earlier checks.
    ...(store.keepsNoSightings
      ? {}
      : { driftChecks: lastChecks(checks, lineage), recentChecks: checksOf(checks, lineage) }),
    state: input.state && withObserved(input.state, observed),
  };
  const notKept = records ? await recordSightings(store, known, observations) : [];
  for (const found of [...observations.findings, ...notKept]) note?.(found);
  return known;
}

/**
 * Records what a run that only reads observed of a zone's hostnames; needs no lock. A failure to record is returned as
 * a warning. A zone without a state has no place for the record.
 */
async function recordSightings(
  store: ProjectStore,
  input: PlanInput,
  found: Observations,
): Promise<readonly Diagnostic[]> {
  if (!input.state) return [];
  const zone = input.desired.id;
  const sightings = newSightings(input);
  const findings = await keepLines(store, zone, sightings.map(encodeObservation));
  if (findings.length === 0) await condense(store, input, found);
  return findings;
}

/** Adds lines to the observations of a zone. A failure to record them is returned as a warning. */
export async function keepLines(
  store: ProjectStore,
  zone: ZoneId,
  lines: readonly string[],
): Promise<readonly Diagnostic[]> {
  try {
    await store.observe(zone, lines);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
    return [notKept(store, thrown)];
  }
}

/** A credential that may add lines may not be allowed to delete any; then a later run condenses them. */
async function condense(store: ProjectStore, input: PlanInput, found: Observations): Promise<void> {
  const isUseful = usefulness(input);
  const useful = [...found.byId.values()].filter((seen) => seen.slice(-1).every(isUseful));
  const needed = useful.reduce((sum, seen) => sum + essence(seen).length, neededChecks(found.checks).length);
  if (!isOvergrown(found, needed)) return;
  try {
    await condenseObservations(store, input.desired.id, isUseful);
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
  }
}

function notKept({ keepsNoSightings }: ProjectStore, { diagnostic }: StateError): Diagnostic {
  const remedy = keepsNoSightings
    ? "nothing to do: this place cannot keep observations; --no-record hides this message"
    : "";
  return warning(
    problem("observations-not-kept", { reason: diagnostic.message }, { remedy, ...defined({ at: diagnostic.at }) }),
  );
}
