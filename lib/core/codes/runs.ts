/** Why a run cannot be undone. */
export const RUNS = {
  "which-run": {
    cause: "undo was not told which run is meant",
    remedy: "zoneform undo --list shows the runs; last is the newest of them",
  },
  "unknown-run": {
    cause: "no run, or more than one, has the id that was given; the last 20 of each zone are kept",
    remedy: "zoneform undo --list shows those that can be undone",
  },
  "run-not-finished": {
    cause: "a run was stopped, or is under way, and what it did is not on record yet",
    remedy: "let an apply finish it; then it can be undone",
  },
  "run-damaged": {
    cause: "the record of a run cannot be read, so that it cannot be undone by it",
    remedy: "change the YAML to what is wanted, then plan",
  },
  "run-of-another-state": {
    cause: "the record of the run and the state do not belong together",
    remedy: "put back the state that the run was made with",
  },
  "cannot-be-undone": {
    cause: "what a run did has no way back, or nothing is kept of it",
    remedy: "the message says of which objects, and why; change them in the YAML",
  },
  "yaml-says-otherwise": {
    cause: "the YAML still wants what an undo takes back, so that the next apply does it again",
    remedy: "change the YAML as well",
  },
} as const;
