import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { keep, type Row } from "../guards.ts";
import type { Place } from "../place.ts";
import { addComment, addHostnames, commitOn, type Edit } from "../story.ts";
import { readShipped } from "./configuration.ts";
import { type JobRun, type MergeRequest, type Pipeline, PROJECT_ID } from "./shapes.ts";
import { setUp, type World } from "./world.ts";

/** A project with a merge request that was planned, approved and merged, and one that is open. */
export interface Prepared extends World {
  readonly merged: MergeRequest;
  readonly open: MergeRequest;
  /** The pipeline and the job that have planned the merged one. */
  readonly planned: Pipeline;
  readonly plan: JobRun;
  /** The folder in which the last job on main has worked. */
  readonly used: { workspace?: string };
}

/** What somebody can tamper with: the world, and the pipeline whose job runs. */
export interface At extends Prepared {
  readonly pipeline: Pipeline;
  /** What `zoneform drift` says, and its code. */
  readonly drift: { text: string; code: number };
  /** What the report of an apply counts. */
  readonly applied: { held: number; held_in_part: number };
}

/** The parts, by what they do. */
export type PartName = "plan" | "find the plan" | "apply what was reviewed" | "report drift";

/** A job without the commands of Zoneform, and what starts its pipeline. */
interface Part {
  readonly job: string;
  readonly source: Pipeline["source"];
}

/** The parts. */
const PARTS: Readonly<Record<PartName, Part>> = {
  plan: { job: "plan", source: "merge_request_event" },
  "find the plan": { job: "apply", source: "push" },
  "apply what was reviewed": { job: "apply-reviewed", source: "push" },
  "report drift": { job: "drift", source: "schedule" },
};

/** Makes the project, with the plan that its job makes without Zoneform. */
export async function prepare(): Promise<Prepared> {
  const world = await setUp();
  const { place, gitlab } = world;
  const source = await readShipped();
  const proposed = async (iid: number, edit: Edit): Promise<MergeRequest> => {
    const head = await newBranch(place, edit);
    const begun = { sourceProject: PROJECT_ID, target: "main", others: [], approvals: [], mergedAt: null, merge: null };
    gitlab.requests.push({ ...begun, iid, head });
    return gitlab.requests.at(-1) ?? { ...begun, iid, head };
  };
  const merged = await proposed(1, addComment);
  const open = await proposed(2, addHostnames("new.violin-academy.de"));

  const started = { id: 1, source: "merge_request_event", sha: merged.head, projectId: PROJECT_ID } as const;
  const planned: Pipeline = { ...started, mergeRequest: merged, jobs: {}, retried: [] };
  gitlab.pipelines.push(planned);
  const asLine = (line: string): string => (line.startsWith("(cd edge && zoneform plan") ? AS_PLANNED : line);
  const plan = await gitlab.runPart(planned, { source, job: "plan", asLine, workspace: undefined });
  expect(plan).toMatchObject({ status: "success" });
  const validated = { ...plan, id: plan.id - 1, name: "validate", artifacts: {} };
  planned.jobs = { validate: validated, plan };
  gitlab.approve(merged);
  await gitlab.mergeQuietly(merged);
  return { ...world, merged, open, planned, plan, used: {} };
}

/** Leaves what Zoneform leaves. No row looks into the plan. */
const AS_PLANNED = `echo planned | tee plan/plan.zfplan plan/plan.md > plan/counts.json`;

/** Runs a part of a job once somebody has tampered, sets everything back, and gives what was to be seen. */
export async function runPart(
  prepared: Prepared,
  part: PartName,
  { source, tamper }: { readonly source: string; readonly tamper: Row<PartName, At>["tamper"] },
): Promise<object> {
  const { place, gitlab, merged, open, plan, planned, used } = prepared;
  const { job, source: started } = PARTS[part];
  const isProposed = started === "merge_request_event";
  const dotenv = { ZONEFORM_PLAN_SHA256: sha256Of(plan.artifacts["plan/plan.zfplan"] ?? "") };
  const decided: JobRun = { ...plan, name: "apply", status: "warning", dotenv };
  const pipeline: Pipeline = {
    id: 2,
    source: started,
    sha: isProposed ? open.head : (merged.merge ?? ""),
    projectId: planned.projectId,
    ...(isProposed ? { mergeRequest: open } : {}),
    jobs: job === "apply-reviewed" ? { apply: decided } : {},
    retried: [],
  };
  const drift = { text: "1 hostname differs\n", code: 3 };
  const applied = { held: 0, held_in_part: 0 };
  const { requests, pipelines, notes, issues } = gitlab;
  const setBack = [keep(requests, pipelines, notes, issues), keep([plan], planned.retried)];
  pipelines.push(pipeline);
  const undo = await tamper({ ...prepared, pipeline, drift, applied });
  const said = join(place.folder, "drift.txt");
  await writeFile(said, drift.text);
  const asLine = (line: string): string => {
    if (line.startsWith("zoneform drift")) return `cp ${said} ../drift.txt; code=${drift.code}`;
    if (line.startsWith("zoneform apply"))
      return `echo '${JSON.stringify({ zones: [{ counts: applied }] })}' > ../plan/applied.json`;
    return /\bzoneform (?:plan --out|apply) /.test(line) ? ":" : line;
  };
  const { status, code, log, workspace } = await gitlab.runPart(pipeline, {
    source,
    job,
    asLine,
    workspace: isProposed ? undefined : used.workspace,
  });
  if (!isProposed) used.workspace = workspace;
  const seen = {
    status,
    code,
    log,
    approved: (await readdir(join(workspace, "approved")).catch(() => [])).toSorted(byName),
    project: await readFile(join(workspace, "edge/zoneform.yaml"), "utf8"),
    isWrittenElsewhere: existsSync(join(workspace, "edge/comment.md")),
    notes: notes.filter((note) => note.place === "2").map(({ body }) => body),
    issues: issues.map((note) => [note.place, note.body]),
  };
  await undo?.();
  for (const back of setBack) back();
  return seen;
}

/** In the order of their characters. */
function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** Pushes a new branch with an edit of what main was in the clone, and gives its commit. */
export async function newBranch(place: Place, edit: Edit): Promise<string> {
  const branch = randomUUID();
  await commitOn(place, branch, edit);
  await place.git("push", "--quiet", "origin", branch);
  return place.git("rev-parse", branch);
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
