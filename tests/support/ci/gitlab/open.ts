import type { Note } from "../notes.ts";
import type { Place } from "../place.ts";
import type { Onlooker } from "../script.ts";
import { serveGitLab } from "./api.ts";
import { configurationOf, readShipped } from "./configuration.ts";
import { runJob } from "./job.ts";
import { predefinedFor, runPipeline } from "./pipelines.ts";
import { emptyRecords, type Records } from "./records.ts";
import { type JobRun, type MergeRequest, type Pipeline, PROJECT_ID } from "./shapes.ts";

/** A stand-in for GitLab: it has the API that the example calls, and runs its jobs. */
export interface GitLab extends Pick<Records, "environments" | "variables" | "requests" | "pipelines"> {
  readonly notes: Note[];
  readonly issues: Note[];
  /** Opens a merge request of a branch of the clone, or of a fork, and runs its pipeline. */
  readonly open: (branch: string, sourceProject?: string) => Promise<{ request: MergeRequest; pipeline: Pipeline }>;
  readonly approve: (request: MergeRequest) => void;
  readonly merge: (request: MergeRequest, onlooker?: Onlooker) => Promise<Pipeline>;
  readonly mergeQuietly: (request: MergeRequest) => Promise<void>;
  readonly schedule: () => Promise<Pipeline>;
  /** Somebody starts a pipeline of main on the web. */
  readonly start: () => Promise<Pipeline>;
  /** Starts a manual job, or runs one again. */
  readonly play: (pipeline: Pipeline, job: string, onlooker?: Onlooker) => Promise<JobRun>;
  /** Runs a job alone, and leaves the pipeline as it is. */
  readonly runPart: (pipeline: Pipeline, part: Part) => Promise<JobRun>;
}

/** A part of a job. */
export interface Part {
  /** The text of the configuration. */
  readonly source: string;
  readonly job: string;
  /** What to run for each line of its script. */
  readonly asLine: (line: string) => string;
  /** A folder in which a job of that commit has worked; a new checkout without it. */
  readonly workspace: string | undefined;
}

/** The host of a place. It listens on loopback until the test ends. */
export async function openGitLab(place: Place): Promise<GitLab> {
  const records = emptyRecords();
  const predefined = predefinedFor(await serveGitLab(records));
  const configuration = configurationOf(await readShipped());
  const runner = { place, records, configuration, env: await place.machine([], {}), predefined };
  const mergeQuietly = async (request: MergeRequest): Promise<void> => {
    request.merge = await place.merge(request.head, `Merge branch\n\nSee merge request shop/edge!${request.iid}`);
    request.mergedAt = place.tick();
  };

  const onMain = async (source: "schedule" | "web"): Promise<Pipeline> => {
    const sha = await place.git("rev-parse", "main");
    return runPipeline(runner, { source, sha, projectId: PROJECT_ID });
  };

  return {
    ...records,
    notes: records.notes.all,
    issues: records.issues.all,
    open: async (branch, sourceProject = PROJECT_ID) => {
      await place.git("push", "--quiet", "--force", "origin", branch);
      const sha = await place.git("rev-parse", branch);
      const iid = records.requests.length + 1;
      const begun = { target: "main", others: [], approvals: [], mergedAt: null, merge: null };
      const request: MergeRequest = { ...begun, iid, head: sha, sourceProject };
      records.requests.push(request);
      const made = { source: "merge_request_event", sha, projectId: sourceProject, mergeRequest: request } as const;
      return { request, pipeline: await runPipeline(runner, made) };
    },
    approve: (request) => {
      request.approvals = [...request.approvals, { at: place.tick(), level: 30 }];
    },
    mergeQuietly,
    merge: async (request, onlooker) => {
      await mergeQuietly(request);
      return runPipeline(runner, { source: "push", sha: request.merge ?? "", projectId: PROJECT_ID }, onlooker);
    },
    schedule: () => onMain("schedule"),
    start: () => onMain("web"),
    play: async (pipeline, name, onlooker) => {
      const played = await runJob(runner, pipeline, name, onlooker);
      const before = pipeline.jobs[name];
      if (before && before.status !== "manual") pipeline.retried.push(before);
      pipeline.jobs[name] = played;
      return played;
    },
    runPart: (pipeline, { source, job, asLine, workspace }) =>
      runJob({ ...runner, configuration: configurationOf(source), asLine, workspace }, pipeline, job),
  };
}
