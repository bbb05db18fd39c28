import type { JsonObject } from "../../../../lib/core/json.ts";
import { type Notebook, openNotebook } from "../notes.ts";
import type { Artifact, Environment, Pull, Review, Status, WorkflowRun } from "./shapes.ts";

/** Everything that GitHub has written down: what its API shows, and what its runner goes by. */
export interface Records {
  readonly nextId: () => number;
  readonly environments: Record<string, Environment>;
  readonly variables: Record<string, string>;
  readonly pulls: Pull[];
  readonly reviews: Review[];
  readonly comments: Notebook;
  readonly issues: Notebook;
  readonly statuses: Status[];
  readonly runs: WorkflowRun[];
  readonly artifacts: Artifact[];
  /** The permissions of each token of a job. */
  readonly tokens: Map<string, JsonObject>;
  /** What the API refused because a token may not do it. */
  readonly refusals: string[];
  /** What printed lines told the runner to do. */
  readonly commands: string[];
}

/** Those of a repository in which nothing has happened. */
export function emptyRecords(): Records {
  let lastId = 100;
  const nextId = (): number => (lastId += 1);
  // GitHub refuses longer ones.
  const lengths = { fewest: 0, most: 65_536 };
  return {
    nextId,
    environments: {},
    variables: {},
    pulls: [],
    reviews: [],
    comments: openNotebook(nextId, lengths),
    issues: openNotebook(nextId, lengths),
    statuses: [],
    runs: [],
    artifacts: [],
    tokens: new Map(),
    refusals: [],
    commands: [],
  };
}
