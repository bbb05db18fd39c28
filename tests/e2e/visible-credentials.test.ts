import { expect, test } from "vitest";
import { startHttpStates } from "../support/http-state-server.ts";
import { appliedWorlds } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const WARNING = /is a plain word, so it is not hidden where it is printed \[credential-not-hidden\]/g;

test.each([
  ["PGPASSWORD", "zoneform"],
  ["TF_HTTP_PASSWORD", "secret"],
  ["AWS_SECRET_ACCESS_KEY", "custom_hostname"],
])("a %s that is the word %s breaks no screen, plan or state, and is named once", async (variable, word) => {
  const world = await appliedWorld();
  const env = { [variable]: word };
  await world.edit("zones/saas-dev.yaml", "uploads are scanned behind the edge", "uploads are scanned");
  const usual = await world.zoneform("plan");
  const plan = await world.zoneformWith(env, "plan", "--out", "p.zfplan");
  expect(plan.code).toBe(0);
  expect(flat(plan.stderr).match(WARNING)).toHaveLength(1);
  expect(flat(plan.stderr)).toContain(`warning: ${variable} is a plain word`);
  expect(plan.stdout).toContain(usual.stdout.split("\n")[0]);
  expect(plan.stdout + plan.stderr).not.toContain("(sensitive)");
  const pull = ["state", "pull", "--zone", "saas.dev"];
  expect(await world.zoneformWith(env, ...pull)).toMatchObject({
    code: 0,
    stdout: (await world.zoneform(...pull)).stdout,
  });
});

test("a credential that only contains such a word is hidden, and needs no warning", async () => {
  const world = await appliedWorld();
  const env = { PGPASSWORD: "zoneform-7", TF_HTTP_PASSWORD: "my-custom_hostname-secret" };
  await world.edit(
    "zones/saas-dev.yaml",
    "uploads are scanned behind the edge",
    "zoneform-7 my-custom_hostname-secret!",
  );
  const { code, stdout, stderr } = await world.zoneformWith(env, "plan");
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("credential-not-hidden")]);
  expect(stdout).toContain("(sensitive) (sensitive)!");
  expect(stdout).toContain("zoneform apply");
  expect(stdout).not.toMatch(/zoneform-7|my-custom/);
});

test("a completion is not disturbed", async () => {
  const world = await appliedWorld();
  const { stderr } = await world.zoneformWith({ PGPASSWORD: "zoneform" }, "complete", "--", "pl");
  expect(stderr).toBe("");
});

test("a password in the flag with the address of the states is named without its variable", async () => {
  const world = await appliedWorld();
  const { address } = await startHttpStates();
  const { stderr } = await world.zoneform("state", "list", "--state", address.replace("//", "//zoneform:hostname@"));
  expect(flat(stderr)).toContain("a password, token or key that this command read is a plain word");
  expect(stderr).not.toContain("(sensitive)");
});
