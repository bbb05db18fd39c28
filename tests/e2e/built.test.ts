import { expect, test } from "vitest";
import { runBuilt, runHere } from "../support/command.ts";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV } from "../support/project.ts";

const appliedWorld = appliedWorlds();

// Most tests of the command run that of the sources, inside of their own process.
test.each([
  ["a plan with changes", ["plan", "--detailed-exitcode"], 2],
  ["a plan as a document", ["plan", "--json"], 0],
  ["drift", ["drift"], 3],
  ["an apply of another plan", ["apply", "--expect", `zf1:${"0".repeat(64)}`], 4],
  ["a source that is not there", ["validate", "--source", "customers=nope.csv"], 1],
  ["a slip on the command line", ["state", "lst"], 1],
  ["the help of a command below another", ["state", "mv", "--help"], 0],
])("the built command ends like the sources and prints the same: %s", async (_what, args, code) => {
  const world = await appliedWorld();
  world.dashboard(DEV, "DELETE", `custom_hostnames/${text(world.hostname(DEV, "pos.old-mill-bakery.com"), "id")}`);
  const ended = await runHere(args, world.surroundings);
  expect(ended.code).toBe(code);
  expect(await runBuilt(args, world.surroundings)).toEqual(ended);
});
