import { type Notebook, openNotebook } from "../notes.ts";
import type { MergeRequest, Pipeline } from "./shapes.ts";

/** Everything that GitLab has written down: what its API shows, and what its runner goes by. */
export interface Records {
  readonly nextId: () => number;
  /** Variables by their environment. Those of applies are protected: only pipelines of main get them. */
  readonly environments: Record<string, Record<string, string>>;
  /** Variables of the project. */
  readonly variables: Record<string, string>;
  readonly requests: MergeRequest[];
  readonly pipelines: Pipeline[];
  readonly notes: Notebook;
  readonly issues: Notebook;
}

/** Those of a project in which nothing has happened. */
export function emptyRecords(): Records {
  let lastId = 1000;
  const nextId = (): number => (lastId += 1);
  const lengths = { fewest: 1, most: 1_000_000 };
  return {
    nextId,
    environments: {},
    variables: {},
    requests: [],
    pipelines: [],
    notes: openNotebook(nextId, lengths),
    issues: openNotebook(nextId, lengths),
  };
}
