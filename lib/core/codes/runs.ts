/** Why a run cannot be undone. */
export const RUNS = {
  "which-run": {
    cause: "undo needs the id of a run",
    remedy: "list the runs with zoneform undo --list, or use zoneform undo last",
  },
  "unknown-run": {
    cause: "no run, or more than one, has this id; the last 20 runs of each zone are kept",
    remedy: "list the runs that can be undone: zoneform undo --list",
  },
  "run-not-finished": {
    cause: "the run was stopped or is still going, so its record is not complete",
    remedy: "finish it with zoneform apply, then undo it",
  },
  "run-damaged": {
    cause: "the record of the run cannot be read",
    remedy: "change the YAML to what you want, then plan",
  },
  "run-of-another-state": {
    cause: "the record of the run belongs to another state",
    message: "the record of run {run} and the state of {zone} do not belong together",
    remedy: "restore the state that the run was made with",
  },
  "cannot-be-undone": {
    cause: "part of what the run did cannot be undone, or was not recorded",
    remedy: "the message names the objects and the reasons; change them in the YAML",
  },
  "yaml-says-otherwise": {
    cause: "the YAML still declares what the undo reverts; the next apply redoes it",
    remedy: "change the YAML too",
  },
} as const;
