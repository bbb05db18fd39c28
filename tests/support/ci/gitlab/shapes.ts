/** The project with the YAML. */
export const PROJECT_ID = "42";

/** A merge request. */
export interface MergeRequest {
  readonly iid: number;
  readonly head: string;
  readonly sourceProject: string;
  /** The branch that it goes to. */
  readonly target: string;
  /** Commits that it also has. */
  readonly others: readonly string[];
  approvals: readonly Approval[];
  mergedAt: string | null;
  merge: string | null;
}

/** When somebody approved a merge request. */
export interface Approval {
  /** Absent on servers that do not say it. */
  readonly at?: string;
  /** As GitLab counts them: 20 may read, 30 may write; undefined for nobody of the project. */
  readonly level?: number;
}

/** One pipeline. */
export interface Pipeline {
  readonly id: number;
  readonly source: "merge_request_event" | "push" | "schedule" | "web";
  readonly sha: string;
  readonly projectId: string;
  readonly mergeRequest?: MergeRequest;
  jobs: Record<string, JobRun>;
  /** Jobs that have run again since. */
  readonly retried: JobRun[];
}

/** How a job ended, or that it waits for somebody. */
export interface JobRun {
  readonly id: number;
  readonly name: string;
  readonly status: "success" | "warning" | "failed" | "manual";
  readonly code: number;
  readonly log: string;
  /** Empty for one that waits. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The files that it kept, by their paths. */
  readonly artifacts: Readonly<Record<string, string>>;
  readonly dotenv: Readonly<Record<string, string>>;
  /** The names of the secrets that it got. */
  readonly secrets: readonly string[];
  /** The folder in which it worked. */
  readonly workspace: string;
}
