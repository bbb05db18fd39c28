import { posix } from "node:path";
import { loadProject } from "../config/load.ts";
import type { LoadedProject } from "../config/desired.ts";
import { type Diagnostic, error, problem } from "../core/diagnostic.ts";
import { defined } from "../core/json.ts";
import { type Revision, shortCommit, type SinceRevision } from "../core/revision.ts";
import { planZone } from "../plan/plan.ts";
import { comparePending } from "../plan/since.ts";
import { localAddress } from "../plan/targets.ts";
import type { PlanInput } from "../plan/inputs.ts";
import type { Change, Since, ZonePlan } from "../plan/change.ts";
import { isHostname } from "../kinds/registry.ts";
import type { LoadedState } from "../state/load.ts";
import { ofState } from "./plan-input.ts";
import { BrokenConfiguration, type ProjectOptions, type ReadProject, type World } from "./world.ts";

/** The configuration of an earlier commit. */
export interface Earlier {
  readonly revision: Revision;
  /** Absent if the commit has no such project. */
  readonly project?: LoadedProject;
}

/**
 * Reads the configuration of an earlier commit, on the same day as the present one. Throws `Refusal`, and
 * `BrokenConfiguration` if it has errors; their places begin with the commit.
 */
export async function readEarlier(
  { fs, env, learn }: Pick<World, "fs" | "env" | "learn">,
  { ref, open }: SinceRevision,
  { file, sources }: ProjectOptions,
  { today }: Pick<ReadProject, "today">,
): Promise<Earlier> {
  const folder = await fs.realPath(posix.dirname(file));
  const revision = await open(folder);
  const path = posix.join(folder, posix.basename(file));
  if ((await revision.files.stat(path)) === undefined) return { revision };
  const given = await Promise.all(
    Object.entries(sources ?? {}).map(async ([name, source]) => [name, await fs.realPath(source)] as const),
  );
  const loaded = await loadProject(
    { fs, past: revision.files, env, today, ...defined({ learn }) },
    { file: path, sources: Object.fromEntries(given), secrets: "where-at-hand" },
  );
  if (loaded.ok) return { revision, project: loaded.value };
  const { commit } = revision;
  const found = loaded.diagnostics.filter(({ severity }) => severity === "error");
  throw new BrokenConfiguration([
    ...found.map((each) => atCommit(commit, each)),
    error(problem("earlier-configuration-broken", { ref, commit: shortCommit(commit) })),
  ]);
}

/** The place as git writes it, so that it names no file of today. */
function atCommit(commit: string, found: Diagnostic): Diagnostic {
  const { at, ...rest } = found;
  return at === undefined ? found : { ...rest, at: { ...at, file: `${shortCommit(commit)}:${at.file}` } };
}

/** What of the plan of one zone was pending before. */
export type SinceZone = Pick<Since, "pending" | "withdrawn">;

/** Joins what was pending in each zone. */
export function joinSince(
  { ref }: SinceRevision,
  { revision: { commit, isBehind }, project }: Earlier,
  zones: readonly { readonly since?: SinceZone }[],
): Since {
  const found = zones.flatMap(({ since }) => since ?? []);
  return {
    ref,
    commit,
    isBehind,
    isNewProject: project === undefined,
    pending: new Map(found.flatMap(({ pending }) => [...pending])),
    withdrawn: found.flatMap(({ withdrawn }) => withdrawn),
  };
}

/**
 * Which changes of a zone were pending before: plans the zone as the earlier commit declares it, from what was read for the
 * present plan.
 */
export function sinceOfZone(
  { project }: Earlier,
  input: PlanInput,
  loaded: LoadedState | undefined,
  { changes }: Pick<ZonePlan, "changes">,
): SinceZone {
  const desired = project?.desired.zones.find(({ id }) => id === input.desired.id);
  if (project === undefined || desired === undefined) return { pending: new Map(), withdrawn: [] };
  const sources = project.sources.filter(({ zone }) => zone === desired.name);
  const moving = new Set(
    project.desired.zones.flatMap(({ moves }) =>
      moves.flatMap(({ from }) => (from.zone === desired.name ? [from.key] : [])),
    ),
  );
  const earlier = planZone({
    ...input,
    ...ofState(project, loaded),
    state: input.state,
    // A zone that was renamed keeps its addresses, so that they can be compared.
    desired: { ...desired, name: input.desired.name },
    leaving: new Map([...input.leaving].filter(([key]) => moving.has(key))),
    sources: Object.fromEntries(sources.map((each) => [each.source, each])),
  });
  const isRead = readObjects(input);
  return comparePending(
    changes,
    earlier.changes.filter((change) => isRead(change)),
  );
}

/**
 * Whether the refresh for the present configuration read an object. What only the earlier one declares was not read, so
 * nothing can be said about it.
 */
function readObjects({ desired, state }: PlanInput): (change: Pick<Change, "kind" | "key">) => boolean {
  const declared = new Set(desired.objects.map(({ kind, key }) => localAddress(kind, key)));
  return ({ kind, key }) => {
    const address = localAddress(kind, key);
    return (
      (isHostname(kind) && desired.hostnames.isDeclared) ||
      declared.has(address) ||
      state?.objects.has(address) === true
    );
  };
}
