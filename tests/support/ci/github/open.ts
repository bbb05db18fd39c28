import type { JsonObject } from "../../../../lib/core/json.ts";
import type { Note } from "../notes.ts";
import type { Place } from "../place.ts";
import type { Onlooker } from "../script.ts";
import { serveGitHub } from "./api.ts";
import { type Excerpt, runExcerpt } from "./excerpt.ts";
import { openGh } from "./gh.ts";
import { merge, propose } from "./pulls.ts";
import { emptyRecords, type Records } from "./records.ts";
import { type JobRun, MAIN, type Pull, REPOSITORY, type WorkflowRun } from "./shapes.ts";
import { REPOSITORY_PAYLOAD } from "./triggers.ts";
import { workflowsOn } from "./workflows.ts";

type Shown = Exclude<keyof Records, "nextId" | "comments" | "issues" | "tokens">;

/** A stand-in for GitHub: it has the API that the examples call, and runs their workflows. */
export interface GitHub extends Pick<Records, Shown> {
  readonly comments: Note[];
  readonly issues: Note[];
  /** Opens a pull request of a branch of the clone, or of a fork, and runs what that starts. */
  readonly open: (branch: string, repository?: string) => Promise<Pull>;
  /** The same from the moment on at which it was found valid: for stories about what comes later. */
  readonly openValid: (branch: string) => Promise<Pull>;
  /** Opens it while the host is too busy to start its workflows. */
  readonly openQuietly: (branch: string) => Promise<Pull>;
  readonly approve: (pull: Pull) => void;
  /** Merges it, and gives the run of the apply. */
  readonly merge: (pull: Pull, onlooker?: Onlooker) => Promise<WorkflowRun>;
  /** Merges it while the host is too busy to start its workflows. */
  readonly mergeQuietly: (pull: Pull) => Promise<void>;
  readonly schedule: (workflow: string) => Promise<WorkflowRun>;
  readonly dispatch: (workflow: string, inputs?: JsonObject) => Promise<WorkflowRun>;
  /** A reviewer approves the environment for which a run waits. */
  readonly review: (run: WorkflowRun) => Promise<void>;
  /** A reviewer rejects it. */
  readonly reject: (run: WorkflowRun) => Promise<void>;
  /** Runs the jobs again that failed. */
  readonly rerun: (run: WorkflowRun, onlooker?: Onlooker) => Promise<void>;
  /** Runs some steps of a job alone. */
  readonly runSteps: (excerpt: Excerpt) => Promise<JobRun>;
  /** The newest run of a workflow, by its file. */
  readonly last: (workflow: string) => WorkflowRun;
}

/** The host of a place. It listens on loopback until the test ends. */
export async function openGitHub(place: Place): Promise<GitHub> {
  const records = emptyRecords();
  const api = await serveGitHub(records, place.host);
  const machine = { place, records, api, env: await place.machine(["npm"], { gh: openGh() }) };
  const workflows = workflowsOn(machine);
  const last = (workflow: string): WorkflowRun => {
    const found = records.runs.findLast(({ path }) => path.endsWith(`/${workflow}`));
    if (!found) throw new Error(`${workflow} has not run`);
    return found;
  };
  const mergeQuietly = (pull: Pull): Promise<void> => merge(place, pull);

  return {
    ...records,
    comments: records.comments.all,
    issues: records.issues.all,
    open: async (branch, repository = REPOSITORY) => {
      const [pull, event] = await propose(place, records, { branch, repository });
      await workflows.trigger(event, event.sha);
      return pull;
    },
    openValid: async (branch) => {
      const [pull, event] = await propose(place, records, { branch, repository: REPOSITORY });
      const ended = { conclusion: "success", headSha: pull.head, headBranch: branch } as const;
      await workflows.triggerAfter("zoneform validate", event, ended);
      return pull;
    },
    openQuietly: async (branch) => (await propose(place, records, { branch, repository: REPOSITORY }))[0],
    approve: ({ number, head }) =>
      void records.reviews.push({ pull: number, state: "APPROVED", user: 1, commit: head, at: place.tick() }),
    mergeQuietly,
    merge: async (pull, onlooker) => {
      await mergeQuietly(pull);
      const sha = pull.merge ?? "";
      await workflows.trigger({ name: "push", payload: REPOSITORY_PAYLOAD, sha, ref: MAIN }, sha, onlooker);
      return last("zoneform-apply.yml");
    },
    schedule: (workflow) => workflows.startByName(workflow, { name: "schedule" }),
    dispatch: (workflow, inputs = {}) => workflows.startByName(workflow, { name: "workflow_dispatch", inputs }),
    review: (run) => workflows.goOn(run, waitingJob(run)),
    reject: async (run) => {
      const name = waitingJob(run);
      const job = run.jobs[name];
      if (job) run.jobs[name] = { ...job, status: "failure" };
      run.conclusion = "failure";
      await workflows.leave(run);
    },
    rerun: async (run, onlooker) => {
      run.attempt += 1;
      run.jobs = Object.fromEntries(Object.entries(run.jobs).filter(([, { status }]) => status === "success"));
      run.conclusion = null;
      await workflows.goOn(run, undefined, onlooker);
    },
    runSteps: (excerpt) => runExcerpt(machine, excerpt),
    last,
  };
}

/** The job of a run that waits for a reviewer. */
function waitingJob({ jobs }: WorkflowRun): string {
  const [name] = Object.entries(jobs).find(([, { status }]) => status === "waiting") ?? [];
  if (name === undefined) throw new Error("the run waits for nobody");
  return name;
}
