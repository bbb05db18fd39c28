import { listed } from "../core/words.ts";
import { type Diagnostic, error, problem, warning } from "../core/diagnostic.ts";
import { objects } from "../core/decode.ts";
import type { LeafChange } from "../core/diff.ts";
import { equal, formatPath, type JsonObject, valueAt } from "../core/json.ts";
import type { DesiredObject, DesiredZone } from "../config/desired.ts";
import { refOf } from "../kinds/ruleset/arrange.ts";
import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { RunChange } from "../state/run-record.ts";
import type { WayBack } from "./way-back.ts";
import { KEPT_RUNS, readRuns } from "../state/runs.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import type { UndoableRun } from "./run.ts";

/** How many names a finding lists before counting the rest. */
const NAMED = 3;

/** Something that cannot be undone, and why. `isFinal`: no edit of the YAML leads back either. */
interface Impossible {
  readonly address: string;
  readonly because: string;
  readonly isFinal?: true;
}

/**
 * Reports what cannot be undone, and why; equal reasons share one finding. It is an error, because the run is then not
 * undone (exit code 4).
 */
export function impossible(found: readonly Impossible[]): Diagnostic[] {
  const reasons = new Map<string, { readonly addresses: string[]; readonly isFinal?: true }>();
  for (const { address, because, ...rest } of found) {
    const known = reasons.get(because);
    if (known) known.addresses.push(address);
    else reasons.set(because, { addresses: [address], ...rest });
  }
  return [...reasons].map(([because, { addresses, isFinal }]) =>
    error({
      code: "cannot-be-undone",
      message: `cannot be undone: ${listed(addresses, NAMED)}: ${because}`,
      ...(isFinal ? {} : { remedy: "change the YAML instead, then plan" }),
    }),
  );
}

/** The fields of an object that cannot be undone. */
export function impossibleLeaves({ impossible: leaves }: WayBack, address: string): readonly Impossible[] {
  return leaves.map(({ path, because, ...rest }) => ({ address, because: `${formatPath(path)}: ${because}`, ...rest }));
}

/** The YAML still declares what the run did, so the next apply would redo it. */
export function contradiction(addresses: readonly string[], run: string): Diagnostic[] {
  if (addresses.length === 0) return [];
  return [warning(problem("yaml-says-otherwise", { run, objects: listed(addresses, NAMED) }))];
}

/** Whether the current YAML declares other values than the undo restores. */
export function isContradicted({ change, desired, changed }: WayBack, declared: DesiredObject | undefined): boolean {
  if (change.action === "create") return declared !== undefined;
  if (change.action === "delete") return declared === undefined;
  if (!declared) return false;
  const differs = changed.some((path) => {
    const wanted = valueAt(declared.values, path);
    return wanted !== undefined && !equal(wanted, valueAt(desired, path));
  });
  const rules = declared.values["rules"];
  return differs || (rules !== undefined && desired?.["rules"] !== undefined && !equal(rules, desired["rules"]));
}

/** Whether one of these changes would redo what an undo reverted. */
export function redoes(changes: readonly Change[], reverted: readonly RunChange[]): boolean {
  const undone = new Map(reverted.map((each) => [each.address, each]));
  return changes.some((change) => {
    const found = undone.get(localAddress(change.kind, change.key));
    if (!found) return false;
    const before = found.before?.values ?? {};
    if (change.action === "create" || change.action === "delete") return DOES_AGAIN[found.action] === change.action;
    const left = found.after?.applied ?? {};
    const [rules, leftRules] = [byRef(before), byRef(left)];
    return (
      change.leaves.some((leaf) => isTakenBack(leaf, before, left)) ||
      change.rules.some(({ action, ref, leaves }) => {
        if (action === "move") return false;
        if (action === "insert" || action === "remove") return (action === "remove") !== rules.has(ref);
        return leaves.some((leaf) => isTakenBack(leaf, rules.get(ref), leftRules.get(ref)));
      })
    );
  });
}

/** Whether a change would set the value that an undo has replaced. */
function isTakenBack({ path, after }: LeafChange, before: JsonObject = {}, left: JsonObject = {}): boolean {
  const isAfter = (from: JsonObject): boolean => equal(valueAt(from, path) ?? null, after ?? null);
  return after !== undefined && isAfter(before) && !isAfter(left);
}

function byRef(values: JsonObject): ReadonlyMap<string, JsonObject> {
  return new Map(objects(values, "rules").map((rule) => [refOf(rule), rule]));
}

/** For each action of an undo, the action that would redo what it reverted. */
const DOES_AGAIN: Readonly<Partial<Record<RunChange["action"], Change["action"]>>> = {
  create: "delete",
  delete: "create",
};

const PUSHED_OUT = `the run may have changed it too, but its record is gone (only the last ${KEPT_RUNS} runs of a zone are kept)`;
const NOT_OURS = "the run may have changed it too, but the zone is no longer in the project";

/**
 * The zones of a run that its undo leaves as they are, because they have no record of it. Excludes unselected zones,
 * and zones that never lost a record: the run never wrote there.
 */
export async function missingZones(
  store: ProjectStore,
  zones: { readonly all: readonly DesiredZone[]; readonly asked: readonly DesiredZone[] },
  parts: readonly UndoableRun[],
): Promise<readonly Diagnostic[]> {
  const planned = new Set<string>(parts.map(({ zone }) => zone.id));
  const absent = new Set(parts.flatMap(({ header }) => header.zones ?? []).filter((id) => !planned.has(id)));
  const found: { readonly address: string; readonly because: string }[] = [];
  for (const id of absent) {
    const zone = zones.all.find((each) => each.id === id);
    if (!zone) found.push({ address: `zone ${id}`, because: NOT_OURS });
    else if (zones.asked.includes(zone) && (await mayHaveLost(store, zone)))
      found.push({ address: `zone ${zone.name}`, because: PUSHED_OUT });
  }
  return impossible(found);
}

/** Whether newer records may have replaced a record of this zone, or one cannot be read. */
async function mayHaveLost(store: ProjectStore, { id }: DesiredZone): Promise<boolean> {
  const { headers, faults } = await readRuns(await store.view(id));
  return headers.length >= KEPT_RUNS || faults.length > 0;
}
