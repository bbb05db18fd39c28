import type { JsonObject } from "../../../../lib/core/json.ts";

export const REPOSITORY = "shop/edge";
export const MAIN = "refs/heads/main";

/** A pull request. */
export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly repository: string;
  /** The branch that it goes to. */
  readonly base: string;
  head: string;
  /** Commits that it also has, or had. */
  readonly others: readonly string[];
  mergedAt: string | null;
  merge: string | null;
}

/** What starts workflows. */
export interface Event {
  readonly name: "pull_request" | "workflow_run" | "push" | "schedule" | "workflow_dispatch";
  readonly payload: JsonObject;
  /** The commit and the ref that a job works on unless it says otherwise. */
  readonly sha: string;
  readonly ref: string;
  /** Whether it comes from a fork: then there are no secrets, and the token can only read. */
  readonly isFork?: boolean;
  readonly inputs?: JsonObject;
}

/** One run of a workflow. */
export interface WorkflowRun {
  readonly id: number;
  readonly path: string;
  readonly event: Event;
  readonly createdAt: string;
  readonly headSha: string;
  readonly headBranch: string;
  /** The group in which one run goes on at a time, and one waits. */
  readonly group: string;
  attempt: number;
  conclusion: "success" | "failure" | "cancelled" | "skipped" | null;
  jobs: Record<string, JobRun>;
}

/** How a job ended, or that it has not. */
export interface JobRun {
  readonly status: "success" | "failure" | "cancelled" | "skipped" | "waiting";
  readonly environment: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The exit codes of its scripts, by the name of the step. */
  readonly codes: Readonly<Record<string, number>>;
  readonly log: string;
  readonly summary: string;
  readonly completedAt: string;
}

/** What an environment gives to its jobs. All of them may be used by main alone. */
export interface Environment {
  readonly secrets: Record<string, string>;
  readonly isReviewed?: boolean;
}

/** A status of a commit, which is its place. */
export interface Status {
  readonly place: string;
  readonly body: string;
  readonly state: string;
  readonly context: string;
  readonly description: string;
}

/** What a run kept. */
export interface Artifact {
  readonly id: number;
  readonly name: string;
  run: number;
  createdAt: string;
  readonly zip: Buffer;
  digest: string;
  readonly isExpired: boolean;
}

/** What somebody said about a commit of a pull request. */
export interface Review {
  readonly pull: number;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  readonly user: number;
  /** What the reviewer may do in the repository; who may write has none. */
  readonly may?: "read" | "nothing";
  readonly commit: string;
  readonly at: string;
}
