import { formatPath } from "../core/json.ts";
import { type AppliedBy, OTHERS } from "../state/state.ts";
import type { Change } from "./change.ts";
import { allLeaves } from "./rests.ts";

/** What of a change says which runs an approval of it rests on. */
type Resting = Pick<Change, "action" | "by" | "held" | "leaves" | "letGo" | "rules">;

/**
 * The runs that an approval of the change rests on: for each field and rule that it writes or releases, the one that
 * last applied it. So an approval is spent by what it did, and by nothing that happened to other fields
 * (docs/semantics.md#approval). A change that makes, ends, adopts or releases an object rests on the whole object too.
 */
export function restsOnRuns(change: Resting, by: AppliedBy | undefined = change.by): readonly string[] {
  const { action } = change;
  if (!by) return [];
  const fields = fieldsOf(change, allLeaves(change));
  const isOfFields = action === "update" || action === "held" || action === "no-op";
  return (isOfFields ? fields : [OTHERS, ...fields])
    .flatMap((field) => {
      const run = runOf(by, field);
      return run === undefined ? [] : [`${field} ${run}`];
    })
    .sort();
}

/** The runs themselves, each once. */
export function runsRestedOn(change: Resting, by: AppliedBy | undefined = change.by): readonly string[] {
  return [...new Set(restsOnRuns(change, by).map((each) => each.slice(each.lastIndexOf(" ") + 1)))];
}

/** Which runs have applied an object's fields once this run has carried out the change; what is held keeps its run. */
export function appliedByRun(change: Change, before: AppliedBy | undefined, run: string): AppliedBy | undefined {
  if (change.action === "create" || change.action === "replace" || change.resumes) return { [OTHERS]: run };
  const fields = fieldsOf(change, change.leaves);
  return fields.length === 0 ? before : { ...before, ...Object.fromEntries(fields.map((field) => [field, run])) };
}

/** The fields and rules that a change writes or releases. */
function fieldsOf({ letGo, rules }: Resting, leaves: Change["leaves"]): readonly string[] {
  return [
    ...leaves.map(({ path }) => formatPath(path)),
    ...rules.map(({ ref }) => formatPath(["rules", ref])),
    ...letGo.map(formatPath),
  ];
}

function runOf(by: AppliedBy, field: string): string | undefined {
  return by[field] ?? by[OTHERS];
}
