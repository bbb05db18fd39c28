import { execFile } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ROOT, run, start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

const execute = promisify(execFile);

/** Packs the checkout as it would be published, and unpacks it: the folder of the package, with nothing installed beside it. */
async function unpacked(): Promise<string> {
  const folder = await temporaryFolder();
  const packed = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await execute("npm", packed, { cwd: ROOT, env: { ...process.env, npm_config_cache: folder } });
  await execute("tar", ["-xzf", join(folder, stdout.trim()), "-C", folder]);
  return join(folder, "package");
}

test("the packed command needs no other package for version, schemas, validate, and a plan against its own emulator", async () => {
  const folder = await unpacked();
  const { version, bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const project = await temporaryFolder();
  await cp(join(ROOT, "examples/saas"), project, { recursive: true });
  const surroundings = { cwd: project, main: join(folder, bin.zoneform) };

  expect(await run(["--version"], surroundings)).toMatchObject({ code: 0, stdout: `${version}\n` });
  const schema = await run(["schema", "zone"], surroundings);
  expect(JSON.parse(schema.stdout)).toEqual(JSON.parse(await readFile(join(ROOT, "schemas/zone.schema.json"), "utf8")));
  expect(await run(["validate"], surroundings)).toMatchObject({ code: 0, stderr: "" });

  const emulator = start(["emulator", "--port", "0", "--seed", join(ROOT, "examples/emulator.yaml")], surroundings);
  onTestFinished(() => emulator.kill("SIGTERM"));
  await emulator.said("admin API on");
  const [, url = ""] = /listening on (\S+)/.exec(emulator.printed()) ?? [];
  const env = { CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: "demo-token" };
  const planned = await run(["plan", "--detailed-exitcode"], { ...surroundings, env });
  expect(planned).toMatchObject({ code: 2, stderr: "" });
  expect(planned.stdout).toMatch(/^Plan for project saas-edge: /);
  expect(planned.stdout).toContain("pos.old-mill-bakery.com");
});
