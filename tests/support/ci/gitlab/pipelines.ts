import { optionalText } from "../../../../lib/core/decode.ts";
import type { Onlooker } from "../script.ts";
import { ruleOf, type Variables } from "./configuration.ts";
import { runJob, type Runner } from "./job.ts";
import { type JobRun, type Pipeline, PROJECT_ID } from "./shapes.ts";

/** Runs a pipeline, stage by stage, until one has failed. Manual jobs wait. */
export async function runPipeline(
  runner: Runner,
  made: Omit<Pipeline, "jobs" | "id" | "retried">,
  onlooker?: Onlooker,
): Promise<Pipeline> {
  const { place, records, configuration, predefined } = runner;
  const pipeline: Pipeline = { ...made, id: records.nextId(), jobs: {}, retried: [] };
  records.pipelines.push(pipeline);
  const given = predefined(pipeline);
  if (!configuration.isWanted(given)) return pipeline;
  const { sha } = pipeline;
  const changedFiles = async (): Promise<readonly string[]> =>
    (await place.host("diff", "--name-only", `${sha}^1`, sha)).split("\n");
  for (const stage of configuration.stages) {
    for (const [name, job] of configuration.jobsOf(stage)) {
      const rule = await ruleOf(job, given, changedFiles);
      if (!rule) continue;
      pipeline.jobs[name] =
        optionalText(rule, "when") === "manual"
          ? { ...WAITING, id: records.nextId(), name }
          : await runJob(runner, pipeline, name, onlooker);
    }
    if (Object.values(pipeline.jobs).some(({ status }) => status === "failed")) break;
  }
  return pipeline;
}

const WAITING = {
  status: "manual",
  code: 0,
  log: "",
  startedAt: "",
  finishedAt: "",
  artifacts: {},
  dotenv: {},
  secrets: [],
  workspace: "",
} as const satisfies Omit<JobRun, "id" | "name">;

/** The variables that GitLab gives to a pipeline of a project with this API. */
export function predefinedFor(api: string): (pipeline: Pipeline) => Variables {
  return ({ id, source, sha, mergeRequest }) => ({
    CI: "true",
    GITLAB_CI: "true",
    CI_API_V4_URL: api,
    CI_PROJECT_ID: PROJECT_ID,
    CI_DEFAULT_BRANCH: "main",
    CI_PIPELINE_ID: String(id),
    CI_PIPELINE_SOURCE: source,
    CI_COMMIT_SHA: sha,
    ...(mergeRequest
      ? {
          CI_MERGE_REQUEST_IID: String(mergeRequest.iid),
          CI_MERGE_REQUEST_TARGET_BRANCH_NAME: mergeRequest.target,
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: mergeRequest.sourceProject,
        }
      : { CI_COMMIT_BRANCH: "main" }),
  });
}
