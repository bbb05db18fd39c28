import type { DesiredZone, LoadedProject, SourceCount } from "../config/desired.ts";
import { formatAddress } from "../core/address.ts";
import { canonical, defined } from "../core/json.ts";
import { Refusal } from "../core/diagnostic.ts";
import { fingerprint, type Secret } from "../core/secret.ts";
import type { SinceRevision } from "../core/revision.ts";
import { several } from "../core/lists.ts";
import { certificateFingerprint } from "../kinds/custom-hostname/upload.ts";
import type { Live } from "../kinds/live.ts";
import { ENTRY_POINTS, HOSTNAMES } from "../kinds/registry.ts";
import { EVERYTHING, type PlanInput, type Selection, type Leaving } from "../plan/inputs.ts";
import { checkShrink, rememberedSource } from "../plan/sources.ts";
import { hostnameAddress } from "../plan/targets.ts";
import { refresh } from "../refresh/refresh.ts";
import type { Client } from "../service/client.ts";
import type { LoadedState } from "../state/load.ts";
import type { State } from "../state/state.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { DnsCheck } from "./checks/check-dns.ts";
import { withObservations } from "./observe.ts";
import type { ProjectOptions, ProjectWorld, World } from "./world.ts";

/** Options of a plan. */
export interface PlanOptions extends ProjectOptions {
  readonly selection?: Selection;
  readonly isDestroy?: boolean;
  /** Also queries DNS, and adds the results to the findings. */
  readonly dnsCheck?: DnsCheck;
  /** Also says what was pending before this revision's last common commit with HEAD. */
  readonly since?: SinceRevision;
}

/**
 * Collects the input of a zone's plan, with a state that was read before. Throws what reading live throws, and
 * `Refusal` for a truncated source.
 */
export async function readLive(
  world: ProjectWorld,
  project: LoadedProject,
  desired: DesiredZone,
  options: PlanOptions,
  loaded: LoadedState | undefined,
): Promise<PlanInput> {
  const state = loaded?.state;
  const sources = project.sources.filter(({ zone }) => zone === desired.name);
  const bySource = Object.fromEntries(sources.map((each) => [each.source, each]));
  const completeSources = new Set(options.completeSources);
  if (!options.isDestroy) guardSources(bySource, completeSources, state);
  const client = world.connect(project.desired.budget);
  const live = await refresh(client, desired, state, world.signal);
  const input: PlanInput = {
    desired,
    ...ofState(project, loaded),
    live,
    leaving: await leavingHostnames(world, project, desired, state),
    isOneOfMany: project.desired.zones.length > 1,
    absenceOf: (reference) => project.absentSecrets.get(canonical(reference))?.message,
    now: new Date(world.clock.now()).toISOString(),
    selection: options.selection ?? EVERYTHING,
    ...(live.objects.has(ENTRY_POINTS.name) ? { othersClaims: await claimsOfOthers(world, desired) } : {}),
    sources: bySource,
    completeSources,
    isDestroy: options.isDestroy ?? false,
  };
  return withObservations(world, client, input, options.records === true);
}

async function claimsOfOthers({ stores, project }: ProjectWorld, { id }: DesiredZone): Promise<readonly Claim[]> {
  return (await stores.claims.list()).filter((claim) => claim.zone === id && claim.project !== project);
}

/** The part of a plan's input that comes from the state. */
export function ofState(
  { secrets }: LoadedProject,
  loaded: LoadedState | undefined,
): Pick<PlanInput, "state" | "journalRecords" | "fingerprintOf" | "certificateOf"> {
  return {
    state: loaded?.state,
    ...(loaded?.journalRecords === undefined ? {} : { journalRecords: loaded.journalRecords }),
    fingerprintOf: fingerprints(secrets, loaded?.state),
    certificateOf: (reference) => {
      const secret = secrets.get(canonical(reference));
      return secret && certificateFingerprint(secret);
    },
  };
}

/** Throws `Refusal` if a source has so many fewer rows than at the last apply that it may be truncated. */
function guardSources(
  sources: Readonly<Record<string, SourceCount>>,
  complete: ReadonlySet<string>,
  state: State | undefined,
): void {
  const found = Object.values(sources)
    .filter(({ source }) => !complete.has(source))
    .flatMap((each) => checkShrink(rememberedSource({ sources, state }, each.source), each) ?? []);
  if (found.length > 0) throw new Refusal(found);
}

function fingerprints(secrets: ReadonlyMap<string, Secret>, state: State | undefined): PlanInput["fingerprintOf"] {
  return (reference) => {
    const secret = secrets.get(canonical(reference));
    return secret && state ? fingerprint(secret, state.secretKey) : undefined;
  };
}

/** How many new hostnames to read by name; with more, the target zone is listed once, like in a refresh. */
const MOST_ASKED_FOR = 50;

/**
 * The hostnames that move away from a zone and are still tracked there, each with the reason why it cannot be deleted
 * yet, which only the target zone shows. Each run computes moves anew, so a move continues wherever a run stopped.
 * Throws what the client throws.
 */
export async function leavingHostnames(
  world: Pick<World, "connect" | "signal">,
  { desired: { zones, budget } }: LoadedProject,
  zone: DesiredZone,
  state: State | undefined,
): Promise<ReadonlyMap<string, Leaving>> {
  const leaving = new Map<string, Leaving>();
  const isTracked = (key: string): boolean => state?.objects.has(hostnameAddress(key)) === true;
  for (const target of zones) {
    const moves = target.moves.filter(({ from }) => from.zone === zone.name && isTracked(from.key));
    const keys = moves.map(({ to }) => to.key);
    const there = await liveThere(world.connect(budget), target, keys, world.signal);
    for (const { from, to } of moves) {
      const { key } = to;
      const address = formatAddress({ zone: target.name, kind: HOSTNAMES.name, key });
      const zoneName = target.name === zone.name ? "" : target.name;
      const where = [key === from.key ? "" : key, zoneName].filter((name) => name !== "").join(" in ");
      const waits = whyItWaits(where, there.get(key));
      leaving.set(from.key, { to: { address, zone: target.id, key }, ...defined({ waits }) });
    }
  }
  return leaving;
}

/** The hostnames that the target zone already has. */
async function liveThere(
  client: Client,
  target: DesiredZone,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Live>> {
  const found = new Map<string, Live>();
  if (keys.length > MOST_ASKED_FOR) {
    const wanted = new Set(keys);
    for await (const live of HOSTNAMES.list(client, target.id, keys, signal))
      if (wanted.has(live.key)) found.set(live.key, live);
    return found;
  }
  const find = (key: string): Promise<Live | undefined> => HOSTNAMES.find(client, target.id, key, signal);
  for (const [key, live] of await several(keys, find)) if (live) found.set(key, live);
  return found;
}

function whyItWaits(where: string, live: Live | undefined): string | undefined {
  if (!live) return `it moves to ${where}, and is not live there yet`;
  const readiness = HOSTNAMES.readiness?.(live) ?? "ready";
  return readiness === "ready" ? undefined : `it moves to ${where}, and does not serve there yet: ${readiness.reason}`;
}
