import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import type { ZoneId } from "../core/brand.ts";
import { type Diagnostic, error, Refusal, warning } from "../core/diagnostic.ts";
import { shellQuoted } from "../core/quote.ts";
import { loadState } from "../state/load.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { moment } from "../core/moment.ts";
import { ownClaims } from "../plan/claims.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { ProjectStates } from "./world.ts";
import { projectsIn } from "../state/stores.ts";

/** A state of another zone, with its name if it can be read. */
interface FoundState {
  readonly id: ZoneId;
  readonly name: string | undefined;
}

/** How many states or projects to name. */
const MOST_NAMED = 20;

/** The refusal (`no-state`) for zones without a state. It looks for the cause once and is shared by all of them. */
export function missingStates(
  world: ProjectStates,
  { desired }: Pick<LoadedProject, "desired">,
  zones: readonly DesiredZone[],
): (zone: DesiredZone) => Promise<Refusal> {
  let found: Promise<Diagnostic> | undefined;
  return async (zone) => {
    found ??= explained(world, await withoutState(world.store, zones, zone), desired.zones.length);
    return new Refusal([await found]);
  };
}

/** The zones that have no state. */
async function withoutState(
  store: ProjectStore,
  zones: readonly DesiredZone[],
  known: DesiredZone,
): Promise<readonly DesiredZone[]> {
  const kept = new Set(await store.zones());
  const missing: DesiredZone[] = [];
  for (const zone of zones)
    if (zone === known || !kept.has(zone.id) || !(await hasState(store, zone.id))) missing.push(zone);
  return missing;
}

/** A state that cannot be read still exists. */
async function hasState(store: ProjectStore, zone: ZoneId): Promise<boolean> {
  try {
    return (await store.view(zone)).state !== undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return true;
    throw thrown;
  }
}

async function explained(
  { store, stores, project }: ProjectStates,
  missing: readonly DesiredZone[],
  all: number,
): Promise<Diagnostic> {
  const [first, ...rest] = missing;
  const found = await statesFound(store);
  const others = await otherProjects({ stores, project });
  const withZone = first ? others.withZone(first.id) : [];
  const flags = missing.length === all ? "" : missing.map(({ name }) => ` --zone ${shellQuoted(name)}`).join("");
  const advice = [
    ["wrong place? set ZONEFORM_STATE or --state to the right one"],
    ...movingCommands(withZone).map((command) => ["renamed? this moves the states to the new name:", command]),
    ["never applied? an apply makes the state:", `zoneform apply${flags}`],
    ["to compare live with the YAML only:", `zoneform drift --against config${flags}`],
  ];
  return error({
    code: "no-state",
    message: `no state of project ${project} for ${listed(missing)} in ${stores.describe()}${foundSentence(found, missing)}${projectsSentence(others.names, withZone)}`,
    remedy: advice.map(([when]) => when).join("\n"),
    commands: advice.flatMap(([, command]) => command ?? []),
    ...(first && rest.length === 0 ? { at: first.at } : {}),
  });
}

function listed(zones: readonly DesiredZone[]): string {
  const names = zones.map(({ name }) => name);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

async function statesFound(store: ProjectStore): Promise<readonly FoundState[]> {
  const ids = await store.zones();
  const found: FoundState[] = [];
  for (const [index, id] of ids.entries())
    found.push({ id, name: index < MOST_NAMED ? await nameIn(store, id) : undefined });
  return found;
}

/** Which states exist if some are missing: one with the same name under another id is a mistake in the YAML. */
function foundSentence(found: readonly FoundState[], missing: readonly DesiredZone[]): string {
  const twins = found.filter(({ name }) => missing.some((zone) => zone.name === name));
  if (twins.length > 0)
    return twins
      .map(({ id, name }) => `; there is a state of ${name} with the zone id ${id}: check zone.id in the YAML`)
      .join("");
  const others = found.filter(({ id }) => missing.every((zone) => zone.id !== id));
  if (others.length === 0) return "";
  return `; there are states of ${others.map(({ id, name }) => name ?? id).join(", ")}`;
}

/** After a rename, the states are still under the project's old name. */
function projectsSentence(names: readonly string[], withZone: readonly string[]): string {
  if (withZone.length > 0) return `; there is one of project ${withZone.join(", ")}`;
  if (names.length === 0) return "";
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  return `; there are states of the projects ${names.slice(0, MOST_NAMED).join(", ")}${more}`;
}

/** An unreadable state must not hide the message about the missing one. */
async function nameIn(store: ProjectStore, id: ZoneId): Promise<string | undefined> {
  try {
    return (await loadState(store, id, { acceptsOlder: true }))?.state.zone.name;
  } catch (thrown) {
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}

/**
 * The warning for a zone that is planned without a state although there is a sign that it had one: such a plan creates
 * everything anew, which is wrong after a rename or a loss.
 */
export async function stateLossFindings(
  world: Pick<ProjectStates, "project"> & {
    readonly claims: readonly Claim[];
    readonly others: () => Promise<OtherProjects>;
  },
  { id, name, at }: DesiredZone,
): Promise<readonly Diagnostic[]> {
  const { project, claims } = world;
  const [claimed] = ownClaims(claims, project, id);
  if (claimed)
    return [
      warning({
        code: "no-state",
        message: `${name} has no state, but project ${project} has claims there since ${moment(claimed.since)}`,
        remedy:
          "if it was applied before, its state is lost: restore a backup of it before you apply (zoneform state push FILE)",
        at,
      }),
    ];
  const withZone = (await world.others()).withZone(id);
  const [command] = movingCommands(withZone);
  if (command === undefined) return [];
  return [
    warning({
      code: "no-state",
      message: `${name} has no state in project ${project}; there is one of project ${withZone.join(", ")}`,
      remedy: `if the project was renamed, move its states before you apply: ${command}`,
      at,
    }),
  ];
}

/** The other projects of a store, for a caller whose own state is missing. */
export interface OtherProjects {
  readonly names: readonly string[];
  /** The projects that have a state of the zone. */
  withZone(zone: ZoneId): readonly string[];
}

/**
 * The other projects in the place of the states; empty if the place cannot be listed, which another message reports.
 */
export async function otherProjects({
  stores,
  project,
}: Pick<ProjectStates, "stores" | "project">): Promise<OtherProjects> {
  try {
    const kept = (await stores.kept()).filter((each) => each.project !== project);
    return {
      names: projectsIn(kept),
      withZone: (zone) => projectsIn(kept.filter((each) => each.zone === zone)),
    };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { names: [], withZone: () => [] };
  }
}

/** The commands that move these projects' states to the project's present name. */
export function movingCommands(names: readonly string[]): readonly string[] {
  return names.map((name) => `zoneform state mv --project ${name}`);
}
