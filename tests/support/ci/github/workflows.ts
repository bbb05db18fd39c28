import { parse } from "yaml";
import { asObject, object, text } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import type { Onlooker } from "../script.ts";
import { lookupIn } from "./contexts.ts";
import { interpolate } from "./expressions.ts";
import { groupsOf } from "./groups.ts";
import { runJob } from "./job.ts";
import type { Machine } from "./machine.ts";
import { type Event, MAIN, type WorkflowRun } from "./shapes.ts";
import { endOf, REPOSITORY_PAYLOAD, starts } from "./triggers.ts";

/** Runs the workflows of the repository. */
export interface Workflows {
  /** Starts each workflow of a commit that an event starts, and what their ends start. */
  readonly trigger: (event: Event, commit: string, onlooker?: Onlooker) => Promise<void>;
  /** Starts what the end of a run of a workflow starts. */
  readonly triggerAfter: (
    workflow: string,
    event: Event,
    ended: Pick<WorkflowRun, "conclusion" | "headSha" | "headBranch">,
  ) => Promise<void>;
  /** Starts one workflow of main by its file. Throws if the event does not start it. */
  readonly startByName: (file: string, event: Pick<Event, "name" | "inputs">) => Promise<WorkflowRun>;
  /** Runs the jobs of a run that have not ended; stops at one that waits for a reviewer, unless it is this one. */
  readonly goOn: (run: WorkflowRun, reviewed?: string, onlooker?: Onlooker) => Promise<void>;
  /** Begins the run that has waited for the end of this one. */
  readonly leave: (run: WorkflowRun) => Promise<void>;
}

/** The workflows of a machine. */
export function workflowsOn(machine: Machine): Workflows {
  const { place, records } = machine;
  const groups = groupsOf(records.runs);

  const read = new Map<string, JsonObject>();
  const readWorkflow = async (commit: string, path: string): Promise<JsonObject> => {
    const name = `${commit}:${path}`;
    const workflow = read.get(name) ?? asObject(parse(await place.host("show", name)), path);
    read.set(name, workflow);
    return workflow;
  };

  const isStarted = (workflow: JsonObject, event: Event): Promise<boolean> =>
    starts(workflow, event, async () =>
      (await place.host("diff", "--name-only", `${event.sha}^1`, event.sha)).split("\n"),
    );

  const trigger: Workflows["trigger"] = async (event, commit, onlooker) => {
    const names = (await place.host("ls-tree", "--name-only", commit, ".github/workflows/")).split("\n");
    for (const path of names.filter((name) => name.endsWith(".yml"))) {
      const workflow = await readWorkflow(commit, path);
      if (await isStarted(workflow, event)) await start(path, workflow, event, onlooker);
    }
  };

  const triggerAfter: Workflows["triggerAfter"] = async (workflow, event, ended) => {
    const sha = await place.host("rev-parse", "main");
    await trigger({ name: "workflow_run", payload: endOf(workflow, event, ended), sha, ref: MAIN }, sha);
  };

  async function start(path: string, workflow: JsonObject, event: Event, onlooker?: Onlooker): Promise<WorkflowRun> {
    const head = event.name === "pull_request" ? object(object(event.payload, "pull_request"), "head") : undefined;
    const run: WorkflowRun = {
      id: records.nextId(),
      path,
      event,
      createdAt: place.tick(),
      headSha: head ? text(head, "sha") : event.sha,
      headBranch: head ? text(head, "ref") : "main",
      group: groupOf(workflow, event),
      attempt: 1,
      conclusion: null,
      jobs: {},
    };
    records.runs.push(run);
    const cancels = object(workflow, "concurrency")["cancel-in-progress"] === true;
    await groups.enter(run, cancels, () => goOn(run, undefined, onlooker));
    return run;
  }

  const goOn: Workflows["goOn"] = async (run, reviewed, onlooker) => {
    const workflow = await readWorkflow(run.event.sha, run.path);
    for (const [name, found] of Object.entries(object(workflow, "jobs"))) {
      const before = run.jobs[name]?.status;
      if (before !== undefined && before !== "waiting") continue;
      const job = asObject(found, name);
      const ended = await runJob(machine, { run, workflow, job, isReviewed: reviewed === name }, onlooker);
      run.jobs[name] = ended;
      if (ended.status === "waiting") return;
    }
    run.conclusion = conclusionOf(run);
    if (run.event.name !== "workflow_run") await triggerAfter(text(workflow, "name"), run.event, run);
    await groups.leave(run.group);
  };

  const startByName: Workflows["startByName"] = async (file, { name, inputs = {} }) => {
    const sha = await place.host("rev-parse", "main");
    const path = `.github/workflows/${file}`;
    const event = { name, inputs, sha, ref: MAIN, payload: REPOSITORY_PAYLOAD };
    const workflow = await readWorkflow(sha, path);
    if (!(await isStarted(workflow, event))) throw new Error(`${name} does not start ${file}`);
    return start(path, workflow, event);
  };

  return { trigger, triggerAfter, startByName, goOn, leave: ({ group }) => groups.leave(group) };
}

function groupOf(workflow: JsonObject, { payload, name }: Event): string {
  const lookup = lookupIn({ github: { event: payload, event_name: name } });
  const group = text(object(workflow, "concurrency"), "group");
  return interpolate(group, lookup, { hasFailed: false, isCancelled: false });
}

function conclusionOf({ jobs }: WorkflowRun): WorkflowRun["conclusion"] {
  const ended = Object.values(jobs).map(({ status }) => status);
  if (ended.includes("failure")) return "failure";
  if (ended.includes("cancelled")) return "cancelled";
  return ended.every((status) => status === "skipped") ? "skipped" : "success";
}
