import { spawnSync } from "node:child_process";

/** The evaluator of policies: `opa` on the PATH, or the program that the variable names. */
const OPA = process.env["ZONEFORM_OPA"] ?? "opa";

/** Added to the title of a test that needs the evaluator: why it is skipped. */
export const NO_OPA: string | undefined =
  spawnSync(OPA, ["version"]).status === 0
    ? undefined
    : ", skipped: there is no opa on the PATH, and ZONEFORM_OPA does not name one";

/** What a Rego policy says about a document in a file: the values of a query, such as `data.terraform.plan.deny`. */
export function evaluate(policy: string, input: string, query: string): unknown {
  const args = ["eval", "--format", "raw", "--data", policy, "--input", input, query];
  const { status, stdout, stderr } = spawnSync(OPA, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`opa failed: ${stderr}`);
  return JSON.parse(stdout);
}
