import { formatPath, type JsonObject, leaves, type Path, valueAt } from "../core/json.ts";
import { keyedByRef } from "../kinds/keyed-rules.ts";
import type { DriftJudgement } from "./drift.ts";
import type { PlanInput } from "./inputs.ts";
import { subjectsOf } from "./plan.ts";
import { isUpload } from "./served.ts";
import type { Subject } from "./subject.ts";
import { planAddress, targetsOf } from "./targets.ts";

/** How much of a zone was judged. Fields are managed ones; each field of a rule counts. */
export interface DriftCoverage {
  readonly objects: number;
  readonly fields: number;
  readonly fieldsNotJudged: number;
}

/** Counts what a look for drift judged, and what it could not judge: objects under way, and uploads that do not show. */
export function coverageOf(input: PlanInput, { underWay, unjudged }: DriftJudgement): DriftCoverage {
  const changing = new Set<string>(underWay.map(({ address }) => address));
  const unshown = new Set<string>(unjudged);
  let [objects, fields, fieldsNotJudged] = [0, 0, 0];
  for (const subject of subjectsOf(input, targetsOf(input))) {
    const { kind, target, prior } = subject;
    if (!target) continue;
    const address = planAddress(input, kind.name, target.key);
    const isChanging = changing.has(address);
    if (!isChanging && !prior) continue;
    const managed = isChanging ? fieldsIn(subject, target.spec) : managedFields(subject);
    const unknown = isChanging ? managed : unshown.has(address) ? managed.filter(isUpload) : [];
    objects += 1;
    fields += managed.length - unknown.length;
    fieldsNotJudged += unknown.length;
  }
  return { objects, fields, fieldsNotJudged };
}

/** What is declared and was applied. */
function managedFields(subject: Subject): readonly Path[] {
  const applied = withKeyedRules(subject.prior?.applied ?? {});
  return fieldsIn(subject, subject.target?.spec ?? {}).filter((path) => valueAt(applied, path) !== undefined);
}

function fieldsIn({ kind }: Subject, values: JsonObject): readonly Path[] {
  const isLeaf = (path: Path): boolean => kind.writeOnly.includes(formatPath(path));
  return leaves(withKeyedRules(values), isLeaf).map(({ path }) => path);
}

function withKeyedRules(values: JsonObject): JsonObject {
  const rules = keyedByRef(values["rules"]);
  return rules === undefined ? values : { ...values, rules };
}
