/** What keeps a run from being undone. */
export const RUNS = {
  "which-run": {
    cause: "undo needs the id of a run, or last",
    remedy: "write last for the newest; to list the runs: zoneform undo --list",
  },
  "unknown-run": {
    cause: "no run, or more than one, has the id that was given; the last 20 of each zone are kept",
    remedy: "to list the runs that can be undone: zoneform undo --list",
  },
  "run-not-finished": {
    cause: "a run was stopped, or is still running, so its record is not complete yet",
    remedy: "let an apply finish it, then undo it: zoneform apply",
  },
  "run-damaged": {
    cause: "the record of a run cannot be read, so the run cannot be undone",
    remedy: "change the YAML, then plan",
  },
  "run-of-another-state": {
    cause: "the record of the run and the state do not belong together",
    remedy: "restore the state that the run was made with",
  },
  "cannot-be-undone": {
    cause: "what a run did cannot be undone, or there is no record of it",
    remedy: "see the message for the objects and the reason; change them in the YAML",
  },
  "yaml-says-otherwise": {
    cause: "the YAML still declares what an undo takes back, so the next apply redoes it",
    remedy: "change the YAML as well",
  },
} as const;
