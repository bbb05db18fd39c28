import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { listen } from "../../lib/emulator/server.ts";
import type { Rig } from "./engine.ts";

/** Names a folder that `terraform providers mirror` has filled. */
const PLUGINS_VARIABLE = "ZONEFORM_TERRAFORM_PLUGINS";

/** The path of the provider in such a folder. */
const PROVIDER = "registry.terraform.io/cloudflare/cloudflare";

/** A token of the length that the provider requires, in place of the emulator's usual one. */
const TOKEN = "t".repeat(40);

/** The folder with the provider of that major version, or why there is none to test with. */
export function pluginsFor(major: string): { readonly folder: string; readonly missing?: string } {
  if (spawnSync("terraform", ["version"], { env: environment() }).status !== 0)
    return { folder: "", missing: "there is no terraform on the PATH" };
  const folder = folders().find((each) => versionsIn(each).some((version) => version.startsWith(`${major}.`)));
  return folder === undefined
    ? {
        folder: "",
        missing: `there is no Cloudflare provider ${major} in ${PLUGINS_VARIABLE} or in Terraform's own folders`,
      }
    : { folder };
}

/** Where Terraform itself looks for providers, besides the folder in the variable. */
function folders(): readonly string[] {
  const named = process.env[PLUGINS_VARIABLE];
  const usual = [
    join(homedir(), ".terraform.d/plugins"),
    "/usr/local/share/terraform/plugins",
    "/usr/share/terraform/plugins",
  ];
  return [...(named ? [named] : []), ...usual];
}

function versionsIn(folder: string): readonly string[] {
  const path = join(folder, PROVIDER);
  return existsSync(path) ? readdirSync(path) : [];
}

/** The environment of Terraform: without this machine's settings, and without calls to HashiCorp. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: "/dev/null", TF_IN_AUTOMATION: "1" };
}

/** Terraform's exit code, and everything that it printed. */
interface TerraformEnded {
  readonly code: number | null;
  readonly output: string;
}

/** Prepares Terraform with the provider and a configuration, to run against the emulator of a rig. */
export async function openTerraform(
  rig: Rig,
  folder: string,
  major: string,
  hcl: string,
): Promise<(...args: readonly string[]) => Promise<TerraformEnded>> {
  const cwd = await mkdtemp(join(tmpdir(), "zoneform-terraform-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const listening = await listen(
    { host: "127.0.0.1", port: 0 },
    (request) => rig.service.handle({ ...request, headers: { ...request.headers, authorization: "Bearer all" } }),
    () => undefined,
  );
  onTestFinished(() => listening.close());
  const head = `terraform {
  required_providers {
    cloudflare = { source = "cloudflare/cloudflare", version = "~> ${major}.0" }
  }
}
`;
  await writeFile(join(cwd, "main.tf"), head + hcl);
  const run = (...args: readonly string[]): Promise<TerraformEnded> =>
    new Promise((resolve, reject) => {
      const child = spawn("terraform", args, {
        cwd,
        env: {
          ...environment(),
          HOME: cwd,
          CLOUDFLARE_API_TOKEN: TOKEN,
          CLOUDFLARE_BASE_URL: `${listening.origin}/client/v4`,
        },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (piece: string) => (output += piece));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output }));
    });
  const begun = await run("init", `-plugin-dir=${folder}`, "-no-color");
  if (begun.code !== 0) throw new Error(begun.output);
  return run;
}
