import { type Json, type JsonObject, valueAt } from "../../../../lib/core/json.ts";
import type { Lookup, Standing, Value } from "./expressions.ts";

/** A lookup in these contexts; what they do not have is null. */
export function lookupIn(contexts: JsonObject): Lookup {
  return (path) => scalar(valueAt(contexts, path) ?? null);
}

/** The outputs of each step that has ended. */
export type StepOutputs = Record<string, Readonly<Record<string, string>>>;

/** What the expressions of a job can name. The parts that change while it runs are read at each look. */
export interface JobContexts {
  readonly github: JsonObject;
  readonly runner: JsonObject;
  /** The job that it waits for, if there is one, with its outputs. */
  readonly needs: JsonObject;
  readonly inputs: JsonObject;
  readonly vars: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly steps: Readonly<StepOutputs>;
  readonly standing: Standing;
}

/** A lookup that throws for what GitHub does not have, where it can know. */
export function lookupOfJob({ standing, steps, github, runner, ...lenient }: JobContexts): Lookup {
  return (path) => {
    const [root = "", first = "", ...rest] = path;
    const named = path.join(".");
    if (Object.hasOwn(lenient, root)) return lookupIn(lenient)(path);
    if (named === "job.status") return statusOf(standing);
    if (root === "steps") {
      const outputs = steps[first];
      if (!outputs || rest[0] !== "outputs") throw new Error(`${named}: there is no such step before`);
      return outputs[rest[1] ?? ""] ?? null;
    }
    const found = valueAt({ github, runner }, path);
    if (found === undefined) throw new Error(`${named} is none that the tests know`);
    return scalar(found);
  };
}

function statusOf({ isCancelled, hasFailed }: Standing): string {
  return isCancelled ? "cancelled" : hasFailed ? "failure" : "success";
}

/** A value of a workflow that has to be a scalar. Throws for a list or an object. */
export function scalar(value: Json): Value {
  if (typeof value === "object" && value !== null) throw new Error(`${JSON.stringify(value)} is no scalar`);
  return value;
}
