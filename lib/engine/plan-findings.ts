import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import type { ZonePlan } from "../plan/change.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { serviceNow } from "../plan/seen.ts";
import type { Client } from "../service/client.ts";
import type { LoadedState } from "../state/load.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { unfinishedIn } from "../state/unfinished.ts";
import type { Claim } from "../state/zone/claims.ts";
import { type DnsCheck, openPreflight, type Preflight } from "./checks/check-dns.ts";
import { limitFindings } from "./checks/limits.ts";
import { type OtherProjects, otherProjects, stateLossFindings } from "./no-state.ts";
import { absentFindings, uploadFindings } from "./uploads.ts";
import type { ProjectWorld } from "./world.ts";

/** The world of one plan, with what its zones share: each part is read at most once. */
export interface PlanningWorld extends ProjectWorld {
  readonly claims: readonly Claim[];
  readonly others: () => Promise<OtherProjects>;
  /** The checks of DNS, if they were asked for. */
  readonly preflight: Preflight | undefined;
}

/** Opens what the zones of one plan share. */
export function openPlanning(
  world: ProjectWorld,
  claims: readonly Claim[],
  dnsCheck: DnsCheck | undefined,
): PlanningWorld {
  let others: Promise<OtherProjects> | undefined;
  return {
    ...world,
    claims,
    others: () => (others ??= otherProjects(world)),
    preflight: dnsCheck && openPreflight(dnsCheck),
  };
}

/** A zone's section of the plan, and what it was made from. */
interface PlannedSection {
  readonly world: PlanningWorld;
  readonly project: LoadedProject;
  readonly input: PlanInput;
  readonly section: ZonePlan;
  readonly client: Client;
}

/** Finds one sort of thing that a plan says beside its changes. */
type Find = (planned: PlannedSection) => readonly Diagnostic[] | Promise<readonly Diagnostic[]>;

/** Everything that is looked for, in the order in which a plan prints it. */
const FINDS: readonly Find[] = [
  ({ world, input }) => (input.state ? [] : stateLossFindings(world, input.desired)),
  ({ section }) => section.findings,
  ({ project, input }) => (input.isDestroy ? [] : absentFindings(project, input.desired)),
  ({ project, input }) =>
    input.isDestroy ? [] : uploadFindings(project, input.desired, Date.parse(serviceNow(input))),
  ({ world, client, input, section }) => limitFindings(client, input, section, world.signal),
  ({ world, client, input, section }) => world.preflight?.check(client, input, section, world.signal) ?? [],
];

/** What a plan says of a zone beside its changes. Throws what the client throws. */
export async function findingsOf(planned: PlannedSection): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const find of FINDS) found.push(...(await find(planned)));
  return found;
}

/** How many objects that a run left unfinished to name before counting the rest. */
const MOST_UNFINISHED = 5;

/** Whether the journal of a zone has changes of a run that was stopped. */
export async function unfinishedWarnings(
  store: ProjectStore,
  { id, name }: DesiredZone,
  loaded: LoadedState | undefined,
): Promise<readonly Diagnostic[]> {
  const unfinished = await unfinishedIn(store, id, loaded?.open ?? []);
  if (!unfinished) return [];
  const { runs, addresses } = unfinished;
  const [count, more] = [addresses.length, addresses.length - MOST_UNFINISHED];
  const names = addresses.slice(0, MOST_UNFINISHED).join(", ");
  const changes = count === 1 ? "1 change" : `${count} changes`;
  const stopped = warning({
    code: "journal-left",
    message: `${name}: run ${runs.join(", ")} was stopped before ${changes} had a result: ${names}${more > 0 ? ` and ${more} more` : ""}`,
    remedy: `nothing to do: the next apply first finds out whether ${count === 1 ? "it" : "they"} took effect`,
  });
  return [stopped];
}
