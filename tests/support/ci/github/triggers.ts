import picomatch from "picomatch";
import { object, optionalObject, text, texts } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import { type Event, REPOSITORY, type WorkflowRun } from "./shapes.ts";

/** What every event says of the repository. */
export const REPOSITORY_PAYLOAD: JsonObject = { repository: { default_branch: "main" } };

/** The filters that the tests know. */
const FILTERS = ["branches", "paths", "workflows", "types", "inputs"];

/** Whether an event starts a workflow. */
export async function starts(
  workflow: JsonObject,
  { name, payload }: Event,
  changedFiles: () => Promise<readonly string[]>,
): Promise<boolean> {
  const on = object(workflow, "on");
  if (!Object.hasOwn(on, name)) return false;
  const filter = optionalObject(on, name) ?? {};
  const unknown = Object.keys(filter).find((key) => !FILTERS.includes(key));
  if (unknown !== undefined) throw new Error(`on.${name}.${unknown} is none that the tests know`);
  if (Object.hasOwn(filter, "branches") && !texts(filter, "branches").includes("main")) return false;
  if (Object.hasOwn(filter, "paths")) {
    const fits = picomatch([...texts(filter, "paths")]);
    if (!(await changedFiles()).some((file) => fits(file))) return false;
  }
  return name !== "workflow_run" || texts(filter, "workflows").includes(text(object(payload, "workflow_run"), "name"));
}

/** What the end of a run of a workflow says. */
export function endOf(
  workflow: string,
  event: Event,
  { conclusion, headSha, headBranch }: Pick<WorkflowRun, "conclusion" | "headSha" | "headBranch">,
): JsonObject {
  return {
    ...REPOSITORY_PAYLOAD,
    workflow_run: {
      name: workflow,
      event: event.name,
      conclusion,
      head_sha: headSha,
      head_branch: headBranch,
      head_repository: { full_name: headRepository(event) },
    },
  };
}

function headRepository({ name, payload }: Event): string {
  return name === "pull_request"
    ? text(object(object(object(payload, "pull_request"), "head"), "repo"), "full_name")
    : REPOSITORY;
}
