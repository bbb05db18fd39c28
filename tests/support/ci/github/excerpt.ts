import { parse } from "yaml";
import { asObject, object, objects, optionalText } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import type { Folders } from "./actions.ts";
import type { StepOutputs } from "./contexts.ts";
import { runJob } from "./job.ts";
import type { Machine } from "./machine.ts";
import type { Event, JobRun } from "./shapes.ts";

/** Some steps of a job, and what the others have left for them. */
export interface Excerpt extends Folders {
  /** The text of the workflow. */
  readonly source: string;
  readonly job: string;
  /** The steps by their names, or by their actions without the version. */
  readonly steps: readonly string[];
  readonly event: Event;
  /** The number of the run; a new one without it. */
  readonly run?: number | undefined;
  readonly attempt?: number | undefined;
  /** The outputs of the jobs that it waits for. */
  readonly needed?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** The outputs of the steps that are left out. Those of the excerpt are added. */
  readonly outputs: StepOutputs;
  readonly hasFailed?: boolean | undefined;
}

/** Runs an excerpt in folders that are there, in the environment of its job. */
export async function runExcerpt(machine: Machine, excerpt: Excerpt): Promise<JobRun> {
  const { source, event, needed = {}, workspace, temp, outputs } = excerpt;
  const workflow = asObject(parse(source), "the workflow");
  const job = object(object(workflow, "jobs"), excerpt.job);
  const chosen = objects(job, "steps").filter((step) => excerpt.steps.includes(titleOf(step)));
  if (chosen.length !== excerpt.steps.length) throw new Error(`${excerpt.job} has not all of ${excerpt.steps.join()}`);
  for (const id of objects(job, "steps").map((step) => optionalText(step, "id") ?? "")) outputs[id] ??= {};
  const run = {
    id: excerpt.run ?? machine.records.nextId(),
    path: "",
    event,
    createdAt: machine.place.tick(),
    headSha: event.sha,
    headBranch: "main",
    group: "",
    attempt: excerpt.attempt ?? 1,
    conclusion: null,
    jobs: Object.fromEntries(Object.entries(needed).map(([name, outputs]) => [name, { ...ENDED, outputs }])),
  };
  const found = { workspace, temp, outputs, hasFailed: excerpt.hasFailed ?? false };
  return runJob(machine, { run, workflow, job: { ...job, steps: chosen }, isReviewed: true, found });
}

const ENDED = {
  status: "success",
  environment: "",
  codes: {},
  log: "",
  summary: "",
  completedAt: "",
} as const satisfies Omit<JobRun, "outputs">;

function titleOf(step: JsonObject): string {
  return optionalText(step, "name") ?? optionalText(step, "uses")?.split("@", 1).join() ?? "";
}
