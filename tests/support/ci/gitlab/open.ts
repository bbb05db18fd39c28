import type { Note } from "../notes.ts";
import type { Place } from "../place.ts";
import type { Onlooker } from "../script.ts";
import { serveGitLab } from "./api.ts";
import { readConfiguration } from "./configuration.ts";
import { runJob } from "./job.ts";
import { predefinedFor, runPipeline } from "./pipelines.ts";
import { emptyRecords, type Records } from "./records.ts";
import { type JobRun, type MergeRequest, type Pipeline, PROJECT_ID } from "./shapes.ts";

/** A stand-in for GitLab: it has the API that the example calls, and runs its jobs. */
export interface GitLab extends Pick<Records, "environments" | "variables"> {
  readonly notes: readonly Note[];
  readonly issues: readonly Note[];
  /** Opens a merge request of a branch of the clone, or of a fork, and runs its pipeline. */
  readonly open: (branch: string, sourceProject?: string) => Promise<{ request: MergeRequest; pipeline: Pipeline }>;
  readonly approve: (request: MergeRequest) => void;
  readonly merge: (request: MergeRequest, onlooker?: Onlooker) => Promise<Pipeline>;
  readonly mergeQuietly: (request: MergeRequest) => Promise<void>;
  readonly schedule: () => Promise<Pipeline>;
  /** Starts a manual job, or runs one again. */
  readonly play: (pipeline: Pipeline, job: string, onlooker?: Onlooker) => Promise<JobRun>;
}

/** The host of a place. It listens on loopback until the test ends. */
export async function openGitLab(place: Place): Promise<GitLab> {
  const records = emptyRecords();
  const predefined = predefinedFor(await serveGitLab(records));
  const configuration = await readConfiguration();
  const runner = { place, records, configuration, env: await place.machine([]), predefined };
  const mergeQuietly = async (request: MergeRequest): Promise<void> => {
    request.merge = await place.merge(request.head, `Merge branch\n\nSee merge request shop/edge!${request.iid}`);
    request.mergedAt = place.tick();
  };

  return {
    environments: records.environments,
    variables: records.variables,
    notes: records.notes.all,
    issues: records.issues.all,
    open: async (branch, sourceProject = PROJECT_ID) => {
      await place.git("push", "--quiet", "--force", "origin", branch);
      const sha = await place.git("rev-parse", branch);
      const iid = records.requests.length + 1;
      const request = { iid, head: sha, sourceProject, approvedAt: null, mergedAt: null, merge: null };
      records.requests.push(request);
      const made = { source: "merge_request_event", sha, projectId: sourceProject, mergeRequest: request } as const;
      return { request, pipeline: await runPipeline(runner, made) };
    },
    approve: (request) => {
      request.approvedAt = place.tick();
    },
    mergeQuietly,
    merge: async (request, onlooker) => {
      await mergeQuietly(request);
      return runPipeline(runner, { source: "push", sha: request.merge ?? "", projectId: PROJECT_ID }, onlooker);
    },
    schedule: async () => {
      const sha = await place.git("rev-parse", "main");
      return runPipeline(runner, { source: "schedule", sha, projectId: PROJECT_ID });
    },
    play: async (pipeline, name, onlooker) => {
      const played = await runJob(runner, pipeline, name, onlooker);
      pipeline.jobs[name] = played;
      return played;
    },
  };
}
