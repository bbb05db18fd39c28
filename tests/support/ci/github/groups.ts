import type { WorkflowRun } from "./shapes.ts";

/** The groups of runs: in each of them one run goes on, and one waits for its end. */
export interface Groups {
  /** Begins a run, now or later. It may end the one that goes on, or take the place of the one that waits. */
  readonly enter: (run: WorkflowRun, cancelsInProgress: boolean, begin: () => Promise<void>) => Promise<void>;
  /** Begins the run that has waited for the end of another one of the group. */
  readonly leave: (group: string) => Promise<void>;
}

/** The groups of these runs. */
export function groupsOf(runs: readonly WorkflowRun[]): Groups {
  const waiting = new Map<string, { readonly run: WorkflowRun; readonly begin: () => Promise<void> }>();
  return {
    enter: async (run, cancelsInProgress, begin) => {
      const holder = runs.find((each) => each !== run && each.group === run.group && each.conclusion === null);
      if (holder && !cancelsInProgress) {
        const replaced = waiting.get(run.group);
        if (replaced) replaced.run.conclusion = "cancelled";
        waiting.set(run.group, { run, begin });
        return;
      }
      if (holder) holder.conclusion = "cancelled";
      await begin();
    },
    leave: async (group) => {
      const next = waiting.get(group);
      waiting.delete(group);
      await next?.begin();
    },
  };
}
