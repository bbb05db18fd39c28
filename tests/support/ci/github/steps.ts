import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { objects, optionalObject, optionalText, text } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import { type Onlooker, startScript } from "../script.ts";
import { type Folders, useAction } from "./actions.ts";
import { scalar, type StepOutputs } from "./contexts.ts";
import { holds, interpolate, type Lookup } from "./expressions.ts";
import type { Machine } from "./machine.ts";
import { type JobRun, REPOSITORY, type WorkflowRun } from "./shapes.ts";
import { commandsIn, outputsIn, setBy } from "./told.ts";

/** The step that an onlooker looks at. */
const WATCHED = "Apply";

/** A job whose steps run. They fail it, and add their outputs. */
export interface StartedJob extends Folders {
  readonly run: WorkflowRun;
  readonly job: JsonObject;
  /** The environment variables of the workflow and the job. */
  readonly variables: Readonly<Record<string, string>>;
  readonly lookup: Lookup;
  readonly standing: { hasFailed: boolean; readonly isCancelled: boolean };
  readonly outputs: StepOutputs;
}

/** Runs the steps of a job one after another, those whose condition holds. */
export async function runSteps(
  machine: Machine,
  started: StartedJob,
  onlooker?: Onlooker,
): Promise<Pick<JobRun, "codes" | "log" | "summary">> {
  const { job, run, variables, temp, lookup, standing, outputs } = started;
  const fill = (source: string): string => interpolate(source, lookup, standing);
  const summary = join(temp, "_summary");
  await writeFile(summary, "");
  const codes: Record<string, number> = {};
  let log = "";
  for (const step of objects(job, "steps")) {
    const uses = optionalText(step, "uses");
    const name = optionalText(step, "name") ?? uses ?? "";
    const id = optionalText(step, "id") ?? `_${name}`;
    if (!holds(optionalText(step, "if"), lookup, standing)) {
      outputs[id] = {};
      continue;
    }
    if (uses !== undefined) {
      const inputs = filled(optionalObject(step, "with"), fill);
      outputs[id] = {};
      await useAction(machine, { uses, inputs, run }, started).catch((thrown: unknown) => {
        log += `${name}: ${String(thrown)}\n`;
        standing.hasFailed = true;
      });
      continue;
    }
    const env = {
      ...variablesOf(machine, started),
      GITHUB_STEP_SUMMARY: summary,
      ...variables,
      ...filled(optionalObject(step, "env"), fill),
    };
    const folder = fill(optionalText(step, "working-directory") ?? ".");
    const script = { source: fill(text(step, "run")), folder, env };
    const ended = await runScript(script, started, name === WATCHED ? onlooker : undefined);
    codes[name] = ended.code;
    log += `::: ${name}\n${ended.output}`;
    if (ended.code !== 0) standing.hasFailed = true;
    const commands = commandsIn(ended.output);
    machine.records.commands.push(...commands);
    outputs[id] = { ...setBy(commands), ...ended.outputs };
  }
  return { codes, log, summary: await readFile(summary, "utf8") };
}

/** Scalars as texts, with their expressions replaced. */
export function filled(from: JsonObject | undefined, fill: (source: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(from ?? {}).map(([name, value]) => [name, fill(String(scalar(value)))]));
}

function variablesOf({ env, api }: Machine, { run, workspace, temp }: StartedJob): Record<string, string> {
  return {
    ...env,
    GITHUB_ACTIONS: "true",
    CI: "true",
    GITHUB_API_URL: api,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
    GITHUB_EVENT_NAME: run.event.name,
    GITHUB_REF: run.event.ref,
    GITHUB_SHA: run.event.sha,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
  };
}

async function runScript(
  { source, folder, env }: { readonly source: string; readonly folder: string; readonly env: Record<string, string> },
  { workspace, temp }: Folders,
  onlooker?: Onlooker,
): Promise<{ code: number; output: string; outputs: Record<string, string> }> {
  const [script, outputs] = [join(temp, "_step.sh"), join(temp, "_output")];
  await writeFile(script, source);
  await writeFile(outputs, "");
  const running = startScript(["--noprofile", "--norc", "-eo", "pipefail", script], {
    cwd: resolve(workspace, folder),
    env: { ...env, GITHUB_OUTPUT: outputs },
  });
  await onlooker?.(running);
  return { ...(await running.ended), outputs: outputsIn(await readFile(outputs, "utf8")) };
}
