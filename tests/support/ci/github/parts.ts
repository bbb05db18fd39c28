import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "../../command.ts";
import { temporaryFolder } from "../../disk.ts";
import { keep, type Row } from "../guards.ts";
import { addComment, addHostnames, commitOn } from "../story.ts";
import { keepArtifact } from "./artifacts.ts";
import type { StepOutputs } from "./contexts.ts";
import type { Excerpt } from "./excerpt.ts";
import { type Artifact, type Event, MAIN, type Pull } from "./shapes.ts";
import { endOf, REPOSITORY_PAYLOAD } from "./triggers.ts";
import { setUp, WORKFLOWS, type World } from "./world.ts";

/** A repository with a pull request that was planned, approved and merged, and one that is open. */
export interface Prepared extends World {
  /** The texts of the workflows. */
  readonly shipped: Readonly<Record<string, string>>;
  readonly merged: Pull;
  /** The main branch as it is then, checked out. */
  readonly checkout: string;
  /** What the plan of the merged one has kept, by its files. */
  readonly kept: Readonly<Record<string, string>>;
}

/** What somebody can tamper with: the world, and the folders and the surroundings of the steps. */
export interface At extends Prepared {
  readonly excerpt: { -readonly [Key in keyof Excerpt]: Excerpt[Key] };
}

/** Some steps of a job, and what they begin with. */
export interface Part extends Partial<Pick<Excerpt, "outputs" | "hasFailed">> {
  readonly file: string;
  readonly job: string;
  readonly steps: readonly string[];
  readonly event?: Event["name"];
  /** Whether they begin in an empty folder, and not in a checkout of main. */
  readonly isEmpty?: boolean;
  /** Files below the temporary folder. */
  readonly files?: Readonly<Record<string, string>>;
}

const PLAN = { file: "zoneform-plan.yml", job: "plan", event: "workflow_run", isEmpty: true } as const;
const DECIDE = { file: "zoneform-apply.yml", job: "decide" } as const;
const APPLY = { file: "zoneform-apply.yml", job: "apply" } as const;
const DRIFT = { file: "zoneform-drift.yml", job: "drift", event: "schedule" } as const;

const THE_PLAN = "the plan that was decided about\n";

/** The parts, by what they do. */
export type PartName =
  | "find the pull request"
  | "install for the plan"
  | "check out the pull request"
  | "show the plan"
  | "set the status"
  | "plan"
  | "look at main, to decide"
  | "look at main, to apply"
  | "find the plan"
  | "go on"
  | "plan again"
  | "plan anew"
  | "take over"
  | "apply"
  | "begin"
  | "end"
  | "look for drift"
  | "report drift";

/** The parts. */
export const PARTS: Readonly<Record<PartName, Part>> = {
  "find the pull request": { ...PLAN, steps: ["Find the pull request"] },
  "install for the plan": {
    ...PLAN,
    outputs: { pull: { number: "2" } },
    steps: ["Check out main, which is trusted", "Check out the pull request, merged into main", "Install Zoneform"],
  },
  "check out the pull request": {
    ...PLAN,
    outputs: { pull: { number: "2" } },
    steps: ["Check out the pull request, merged into main", "Record what the plan was made for"],
  },
  "show the plan": {
    ...PLAN,
    outputs: { pull: { number: "2" } },
    files: { "plan/plan.md": "## Plan\n" },
    steps: ["Keep the plan", "Show the plan in the pull request"],
  },
  "set the status": { ...PLAN, steps: ["Set the status of the commit"] },
  plan: { ...PLAN, steps: ["Plan"] },
  "look at main, to decide": { ...DECIDE, steps: ["Stop if main has moved on"] },
  "look at main, to apply": { ...APPLY, steps: ["Stop if main has moved on"] },
  "find the plan": { ...DECIDE, steps: ["Find the approved plan"] },
  "go on": { ...DECIDE, event: "schedule", steps: ["Look for an unfinished apply"] },
  "plan again": {
    ...DECIDE,
    steps: ["Plan again and compare with the approved plan"],
  },
  "plan anew": { ...DECIDE, steps: ["Make a new plan for a reviewer"] },
  "take over": {
    ...APPLY,
    steps: ["actions/download-artifact", "Check the hash of the plan"],
  },
  apply: { ...APPLY, steps: ["Apply"] },
  begin: { ...APPLY, steps: ["Set the status to begun"] },
  end: {
    ...APPLY,
    files: { "applied.json": reportOf({ held: 0, held_in_part: 0 }) },
    steps: ["Set the status to applied"],
  },
  "look for drift": { ...DRIFT, steps: ["Look for drift", "Open an issue, or update the open one"] },
  "report drift": {
    ...DRIFT,
    outputs: { drift: { code: "3" } },
    hasFailed: true,
    files: { "drift.txt": "1 hostname differs\n" },
    steps: ["Open an issue, or update the open one"],
  },
};

/** Makes the repository, with the plan that the steps of its job make without Zoneform. */
export async function prepare(): Promise<Prepared> {
  const world = await setUp();
  const { place, github } = world;
  const shipped = Object.fromEntries(
    await Promise.all(
      WORKFLOWS.map(async (file) => [file, await readFile(join(ROOT, "examples/ci/github", file), "utf8")] as const),
    ),
  );
  await commitOn(place, "first", addComment);
  const merged = await github.openQuietly("first");
  const [workspace, temp, checkout] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];

  // The plan, made by the steps of its job but for Zoneform. No row looks into it.
  await writeAll(temp, { "plan/plan.zfplan": "the plan\n", "plan/plan.md": "## Plan\n" });
  const planned = await github.runSteps({
    source: shipped["zoneform-plan.yml"] ?? "",
    job: "plan",
    steps: [...PARTS["check out the pull request"].steps, ...PARTS["show the plan"].steps],
    event: eventOf({ github, merged }, "workflow_run"),
    run: RUN,
    workspace,
    temp,
    outputs: { pull: { number: "1" } },
  });
  expect(planned).toMatchObject({ status: "success" });
  const path = ".github/workflows/zoneform-plan.yml";
  const made = {
    id: RUN,
    path,
    group: "",
    attempt: 1,
    jobs: { plan: planned },
    headSha: "",
    headBranch: "main",
    createdAt: place.tick(),
  };
  github.runs.push({ ...made, event: eventOf({ github, merged }, "workflow_run"), conclusion: "success" });
  const kept: Record<string, string> = {};
  for (const file of await readdir(join(temp, "plan"))) kept[file] = await readFile(join(temp, "plan", file), "utf8");

  github.approve(merged);
  await github.mergeQuietly(merged);
  await commitOn(place, "second", addHostnames("new.violin-academy.de"));
  await github.openQuietly("second");
  const checkedOut = await github.runSteps({
    source: shipped["zoneform-apply.yml"] ?? "",
    job: "decide",
    steps: ["actions/checkout"],
    event: pushOf(merged.merge ?? ""),
    workspace: checkout,
    temp: checkout,
    outputs: {},
  });
  expect(checkedOut).toMatchObject({ status: "success" });
  const between = { id: 1, name: "zoneform-apply", run: RUN, createdAt: place.tick(), isExpired: false };
  github.artifacts.unshift({ ...between, ...(await zipped({ "plan.zfplan": THE_PLAN })) });
  return { ...world, shipped, merged, checkout, kept };
}

/** The number of the run that has the steps. */
const RUN = 7;

/** Runs a part of a job once somebody has tampered, sets everything back, and gives what was to be seen. */
export async function runPart(
  prepared: Prepared,
  part: Part,
  { source, tamper }: { readonly source: string; readonly tamper: Row<PartName, At>["tamper"] },
): Promise<object> {
  const { place, github, merged, checkout } = prepared;
  const temp = await mkdtemp(join(place.folder, "temp-"));
  await writeAll(temp, part.files ?? {});
  const outputs: StepOutputs = { approved: { found: "true", sha: merged.merge ?? "" }, ...part.outputs };
  const excerpt: At["excerpt"] = {
    source,
    job: part.job,
    steps: part.steps,
    run: RUN,
    event: eventOf(prepared, part.event ?? "push"),
    workspace: part.isEmpty ? await mkdtemp(join(place.folder, "workspace-")) : checkout,
    temp,
    needed: { decide: { approval: "merge", sha: merged.merge ?? "", sha256: sha256Of(THE_PLAN) } },
    outputs,
    hasFailed: part.hasFailed ?? false,
  };
  if (part.isEmpty) await mkdir(join(excerpt.workspace, "proposed/edge"), { recursive: true });
  const { pulls, reviews, artifacts, runs, statuses, comments, issues } = github;
  const setBack = keep(pulls, reviews, artifacts, runs, statuses, comments, issues);
  const undo = await tamper({ ...prepared, excerpt });
  const before = { statuses: statuses.length, artifacts: artifacts.length };
  const { status, log, summary, codes } = await github.runSteps(excerpt);
  const seen = {
    status,
    log,
    summary,
    codes,
    ran: Object.keys(codes),
    outputs,
    approved: (await readdir(join(temp, "approved")).catch(() => [])).toSorted(byName),
    statuses: statuses.slice(before.statuses).map(({ body }) => body),
    artifacts: artifacts.slice(before.artifacts).map(({ name }) => name),
    comments: comments.filter((note) => note.place === "2").map(({ body }) => body),
    issues: issues.map((note) => [note.place, note.body]),
  };
  await undo?.();
  setBack();
  return seen;
}

/** In the order of their characters. */
function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** The event for a job: the end of the workflow that validates the open pull request, or something on main. */
function eventOf({ github, merged }: Pick<Prepared, "github" | "merged">, name: Event["name"]): Event {
  const event = pushOf(merged.merge ?? "");
  if (name !== "workflow_run") return { ...event, name };
  const { head: sha, branch, number, repository } = github.pulls.at(-1) ?? merged;
  const head = { sha, ref: branch, repo: { full_name: repository } };
  const proposed = { ...event, name: "pull_request", payload: { pull_request: { number, head } } } as const;
  const ended = { conclusion: "success", headSha: sha, headBranch: branch } as const;
  return { ...event, name, payload: endOf("zoneform validate", proposed, ended) };
}

/** A push to main. */
export function pushOf(sha: string): Event {
  return { name: "push", payload: REPOSITORY_PAYLOAD, sha, ref: MAIN };
}

/** An archive as GitHub keeps it. */
export async function zipped(files: Readonly<Record<string, string>>): Promise<Pick<Artifact, "zip" | "digest">> {
  const [path, temp] = [await temporaryFolder(), await temporaryFolder()];
  await writeAll(path, files);
  const artifacts: Artifact[] = [];
  const of = { name: "", run: 0, createdAt: "" };
  await keepArtifact({ artifacts, nextId: () => 0 }, of, { path, temp, overwrites: false });
  const [made] = artifacts;
  if (!made) throw new Error("nothing was kept");
  return { zip: made.zip, digest: made.digest };
}

/** Writes files, and the folders that they need. */
export async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** The part of a report of an apply that the job reads. */
export function reportOf(counts: Readonly<Record<"held" | "held_in_part", number>>): string {
  return JSON.stringify({ zones: [{ counts }] });
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
