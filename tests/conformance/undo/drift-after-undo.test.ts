import { expect, test } from "vitest";
import { findDrift } from "../../../lib/engine/drift.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { failuresOf, type Rig } from "../../support/engine.ts";
import { appliedRig, apply, BASE, filesOf, undo } from "../../support/undoing.ts";

const OLD = { ref: "sec/1", action: "block", expression: "true", enabled: true };
const ADDED = { ref: "sec/2", action: "log", expression: "false", enabled: true };
const EDITED = { ...OLD, expression: 'http.host eq "a.net"' };
const OFF = { ...OLD, enabled: false };

function declare(rig: Rig, rules: readonly JsonObject[]): void {
  rig.write("zones/a.yaml", filesOf({ ...BASE, rules }));
}

/** Whether drift says that the YAML still declares what the undo of these rules reverted, for each YAML after it. */
async function saysSo(
  { before, run }: { readonly before: readonly JsonObject[]; readonly run: readonly JsonObject[] },
  ...after: readonly (readonly JsonObject[])[]
): Promise<readonly boolean[]> {
  const rig = await appliedRig({ ...BASE, rules: before });
  await apply(rig, { ...BASE, rules: run });
  const { plan } = await undo(rig);
  expect(failuresOf(await rig.apply(plan, { operation: "undo" }))).toEqual([]);
  const said: boolean[] = [];
  for (const rules of after) {
    declare(rig, rules);
    const { zones } = await findDrift(rig.world(), { file: rig.file });
    said.push(zones.some((zone) => zone.undo !== undefined));
  }
  return said;
}

test("the YAML declares what an undo reverted if it adds the rule again, and not if it edits, switches or moves another", async () => {
  const others = [[EDITED], [OFF]];
  expect(await saysSo({ before: [OLD], run: [OLD, ADDED] }, [OLD, ADDED], ...others)).toEqual([true, false, false]);
});

test("the YAML declares what an undo reverted where it has the same edit or switch of a rule, and not another one", async () => {
  const another = { ...OLD, expression: 'http.host eq "b.net"' };
  expect(await saysSo({ before: [OLD], run: [EDITED] }, [EDITED], [another], [OFF])).toEqual([true, false, false]);
  expect(await saysSo({ before: [OLD], run: [OFF] }, [OFF], [EDITED])).toEqual([true, false]);
});

test("a move of a rule does not redo what an undo reverted", async () => {
  const two = { ...ADDED, expression: "true" };
  const rules = { before: [OLD, two], run: [OLD, { ...two, expression: "false" }] };
  expect(await saysSo(rules, [two, OLD])).toEqual([false]);
});
