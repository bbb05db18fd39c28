import { expect, test } from "vitest";
import { appliedWorlds } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const VIOLIN = 'saas.dev/custom_hostname["lessons.violin-academy.de"]';

/** The lines that a command proposes are run as they stand: what they leave out would be carried out as well. */
test("the command that continues a destroy names the same zone, objects, files and service", async () => {
  const world = await appliedWorld();
  const { url } = world.emulator;
  const where = ["--config", "./zoneform.yaml", "--api-url", url];
  const what = ["--zone", "saas.dev", "--target", VIOLIN, "--exclude", "total_tls", "--deny", "replace"];
  const line = `zoneform destroy --config ./zoneform.yaml --api-url '${url}' --zone saas.dev --target '${VIOLIN}' --exclude total_tls --deny replace --source customers=data/customers.csv --max-changes 9`;
  const more = ["--source", "customers=data/customers.csv", "--max-changes", "9"];
  const carriedOut = await world.zoneform(
    "destroy",
    ...where,
    ...what,
    ...more,
    "--auto-approve",
    "--max-duration",
    "0s",
  );
  expect(carriedOut.code).toBe(6);
  expect(carriedOut.stdout).toContain("the --max-duration of 0 s is over");
  expect(flat(carriedOut.stdout)).toMatch(/ --max-changes 9 --expect zf1:\w{64} $/);
  expect(flat(carriedOut.stdout)).toContain(`To resume: ${line} --expect `);
  expect(world.writes()).toEqual({});
});

test("the command that approves a destroy names them too, and so does the one that continues an undo", async () => {
  const world = await appliedWorld();
  const asked = await world.zoneform("destroy", "--zone", "saas.dev", "--target", VIOLIN);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain(`    zoneform destroy --zone saas.dev --target '${VIOLIN}' --expect zf`);

  const undone = await world.zoneform(
    "undo",
    "last",
    "--config",
    "./zoneform.yaml",
    "--zone",
    "saas.dev",
    "--auto-approve",
    "--max-duration",
    "0s",
  );
  expect(undone.stdout).toMatch(
    /^To resume:\s+zoneform undo \S+ --config \.\/zoneform\.yaml --zone saas\.dev --expect zf1:\w{64}$/m,
  );
});

test("the command that continues a saved plan says where, and keeps what was approved beyond the limits", async () => {
  const world = await appliedWorld();
  await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
  const planned = await world.zoneform("plan", "--out", "p.zfplan", "--config", "./zoneform.yaml");
  expect(planned.stdout).toContain("\n  zoneform apply p.zfplan --config ./zoneform.yaml\n");

  const hash: string = JSON.parse((await world.zoneform("plan", "--json")).stdout).hash;
  expect(planned.code).toBe(0);
  const stopped = await world.zoneform("apply", "p.zfplan", "--approve", hash, "--max-duration", "0s");
  expect(flat(stopped.stdout)).toContain(`To resume: zoneform apply p.zfplan --approve ${hash}`);
});
