import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { object, optionalObject, optionalText, text } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import type { Onlooker } from "../script.ts";
import type { Folders } from "./actions.ts";
import { lookupOfJob, type StepOutputs } from "./contexts.ts";
import { holds, interpolate, type Standing } from "./expressions.ts";
import type { Machine } from "./machine.ts";
import { type Environment, type JobRun, MAIN, REPOSITORY, type WorkflowRun } from "./shapes.ts";
import { filled, runSteps } from "./steps.ts";

/** A job of a run. */
export interface Task {
  readonly run: WorkflowRun;
  readonly workflow: JsonObject;
  readonly job: JsonObject;
  /** Whether a reviewer has approved its environment. */
  readonly isReviewed: boolean;
  /** What the job finds when it starts, if it does not start empty. */
  readonly found?: Found;
}

/** What other steps of a job have left for the ones that run. */
export interface Found extends Folders {
  /** The outputs of the others. Those of the ones that run are added. */
  readonly outputs: StepOutputs;
  readonly hasFailed: boolean;
}

/** Runs a job, unless its condition or its environment says otherwise. */
export async function runJob(
  machine: Machine,
  { run, workflow, job, isReviewed, found }: Task,
  onlooker?: Onlooker,
): Promise<JobRun> {
  const { place, records } = machine;
  const { event } = run;
  const token = grantToken(machine, run, optionalObject(job, "permissions") ?? optionalObject(workflow, "permissions"));
  const name = optionalText(job, "needs");
  const needed = name === undefined ? undefined : run.jobs[name];
  const standing = { hasFailed: found?.hasFailed ?? false, isCancelled: false };
  const secrets: Record<string, string> = {};
  const steps: StepOutputs = found?.outputs ?? {};
  const temp = found?.temp ?? (await mkdtemp(join(place.folder, "temp-")));
  const { name: event_name, payload, sha, ref } = event;
  const lookup = lookupOfJob({
    github: { event: payload, event_name, repository: REPOSITORY, ref, sha, token },
    runner: { temp },
    needs: name === undefined ? {} : { [name]: { outputs: needed?.outputs ?? {} } },
    inputs: event.inputs ?? {},
    vars: records.variables,
    secrets,
    steps,
    standing,
  });
  const fill = (source: string): string => interpolate(source, lookup, standing);

  const before: Standing = { hasFailed: needed !== undefined && needed.status !== "success", isCancelled: false };
  if (!holds(optionalText(job, "if"), lookup, before)) return { ...NOT_RUN, status: "skipped" };
  const environment = fill(optionalText(job, "environment") ?? "");
  if (environment !== "") {
    const { secrets: given, isReviewed: wantsReview } = environmentOf(machine, environment);
    if (ref !== MAIN) return { ...NOT_RUN, environment, status: "failure", log: `${ref} may not use ${environment}` };
    if (wantsReview && !isReviewed) return { ...NOT_RUN, environment, status: "waiting" };
    Object.assign(secrets, given);
  }

  const shell = text(object(object(workflow, "defaults"), "run"), "shell");
  if (shell !== "bash") throw new Error(`the tests know no shell ${shell}`);
  const workspace = found?.workspace ?? (await mkdtemp(join(place.folder, "workspace-")));
  const variables = { ...filled(optionalObject(workflow, "env"), fill), ...filled(optionalObject(job, "env"), fill) };
  const started = { run, job, variables, workspace, temp, lookup, standing, outputs: steps };
  const done = await runSteps(machine, started, onlooker);
  return {
    ...done,
    status: standing.hasFailed ? "failure" : "success",
    environment,
    outputs: filled(optionalObject(job, "outputs"), fill),
    completedAt: place.tick(),
  };
}

const NOT_RUN = { environment: "", outputs: {}, codes: {}, log: "", summary: "", completedAt: "" };

/** Makes the token of a job. That of a fork may read what the job wants to write. */
function grantToken({ records }: Machine, { path, event }: WorkflowRun, permissions: JsonObject | undefined): string {
  if (!permissions) throw new Error(`${path} leaves the permissions of its token to the repository`);
  const token = `ghs_${records.nextId()}`;
  const read = Object.fromEntries(Object.keys(permissions).map((scope) => [scope, "read"]));
  records.tokens.set(token, event.isFork ? read : permissions);
  return token;
}

function environmentOf({ records }: Machine, name: string): Environment {
  const found = records.environments[name];
  if (!found) throw new Error(`there is no environment ${name}`);
  return found;
}
