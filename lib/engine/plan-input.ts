import type { DesiredZone, LoadedProject, SourceCount } from "../config/desired.ts";
import { Refusal } from "../core/diagnostic.ts";
import { canonical } from "../core/json.ts";
import { fingerprint, type Secret } from "../core/secret.ts";
import { certificateFingerprint } from "../kinds/custom-hostname/upload.ts";
import { EVERYTHING, type PlanInput, type Selection } from "../plan/inputs.ts";
import { checkShrink, rememberedSource } from "../plan/sources.ts";
import { refresh } from "../refresh/refresh.ts";
import type { LoadedState } from "../state/load.ts";
import type { State } from "../state/state.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { DnsCheck } from "./checks/check-dns.ts";
import { leavingHostnames } from "./moves.ts";
import { withObservations } from "./observe.ts";
import type { ProjectOptions, ProjectWorld } from "./world.ts";

/** How to plan. */
export interface PlanOptions extends ProjectOptions {
  readonly selection?: Selection;
  readonly isDestroy?: boolean;
  /** Asks DNS as well, and adds what it finds to the findings. */
  readonly dnsCheck?: DnsCheck;
}

/** What a zone's plan is made from, with a state that was read before. Throws what reading live throws, and `Refusal` for a source that was cut. */
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
    ...(live.objects.has("ruleset") ? { othersClaims: await claimsOfOthers(world, desired) } : {}),
    sources: bySource,
    completeSources,
    isDestroy: options.isDestroy ?? false,
  };
  return withObservations(world, client, input, options.records === true);
}

async function claimsOfOthers({ stores, project }: ProjectWorld, { id }: DesiredZone): Promise<readonly Claim[]> {
  return (await stores.claims.list()).filter((claim) => claim.zone === id && claim.project !== project);
}

/** What of a plan's input comes from the state. */
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

/** Throws `Refusal` where a source gives so much less than at the last apply that it may have been cut short. */
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
