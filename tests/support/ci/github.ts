import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import picomatch from "picomatch";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { object, objects, optionalObject, optionalText, text, texts } from "../../../lib/core/decode.ts";
import { isObject, type Json, type JsonObject } from "../../../lib/core/json.ts";
import { holds, interpolate, type Lookup, type Value } from "./expressions.ts";
import type { Place } from "./place.ts";
import { type Onlooker, startScript } from "./script.ts";

const execute = promisify(execFile);

const REPOSITORY = "shop/edge";
const MAIN = "refs/heads/main";

/** A pull request. */
export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly repository: string;
  head: string;
  mergedAt: string | null;
  merge: string | null;
}

/** How a job ended, or that it has not. */
export interface JobRun {
  readonly status: "success" | "failure" | "cancelled" | "skipped" | "waiting";
  readonly environment: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The exit codes of its scripts, by the name of the step. */
  readonly codes: Readonly<Record<string, number>>;
  readonly log: string;
  readonly summary: string;
}

/** One run of a workflow. */
export interface WorkflowRun {
  readonly id: number;
  readonly path: string;
  readonly event: Event;
  readonly createdAt: string;
  readonly headSha: string;
  readonly headBranch: string;
  /** The group in which one run goes on at a time, and one waits. */
  readonly group: string;
  attempt: number;
  conclusion: "success" | "failure" | "cancelled" | "skipped" | null;
  jobs: Record<string, JobRun>;
}

/** What starts workflows. */
interface Event {
  readonly name: "pull_request" | "workflow_run" | "push" | "schedule" | "workflow_dispatch";
  readonly payload: JsonObject;
  /** The commit and the ref that a job works on unless it says otherwise. */
  readonly sha: string;
  readonly ref: string;
  /** Whether it comes from a fork: then there are no secrets, and the token can only read. */
  readonly isFork?: boolean;
  readonly inputs?: JsonObject;
}

/** What an environment gives to its jobs. All of them may be used by main alone. */
export interface Environment {
  readonly secrets: Record<string, string>;
  readonly isReviewed?: boolean;
}

/** An issue, a comment or a status, as somebody reads it. */
interface Note {
  readonly id: number;
  readonly place: string;
  body: string;
}

interface Status extends Note {
  readonly state: string;
  readonly context: string;
  readonly description: string;
}

interface Artifact {
  readonly id: number;
  readonly name: string;
  run: number;
  createdAt: string;
  readonly zip: Buffer;
  digest: string;
}

/** A stand-in for GitHub: it has the API that the examples call, and runs their workflows. */
export interface GitHub {
  readonly environments: Record<string, Environment>;
  readonly variables: Record<string, string>;
  readonly runs: readonly WorkflowRun[];
  readonly comments: readonly Note[];
  readonly statuses: readonly Status[];
  /** What printed lines told the runner to do. */
  readonly commands: readonly string[];
  readonly issues: readonly Note[];
  readonly artifacts: Artifact[];
  /** What the API refused because a token may not do it. */
  readonly refusals: readonly string[];
  /** Opens a pull request of a branch of the clone, or of a fork, and runs what that starts. */
  readonly open: (branch: string, repository?: string) => Promise<Pull>;
  /** The same from the moment on at which it was found valid: for stories about what comes later. */
  readonly openValid: (branch: string) => Promise<Pull>;
  /** Opens it while the host is too busy to start its workflows. */
  readonly openQuietly: (branch: string) => Promise<Pull>;
  readonly approve: (pull: Pull) => void;
  /** Merges it, and gives the run of the apply. */
  readonly merge: (pull: Pull, onlooker?: Onlooker) => Promise<WorkflowRun>;
  /** Merges it while the host is too busy to start its workflows. */
  readonly mergeQuietly: (pull: Pull) => Promise<void>;
  readonly schedule: (workflow: string) => Promise<WorkflowRun>;
  readonly dispatch: (workflow: string, inputs?: JsonObject) => Promise<WorkflowRun>;
  /** A reviewer approves the environment for which a run waits. */
  readonly review: (run: WorkflowRun) => Promise<void>;
  /** A reviewer rejects it. */
  readonly reject: (run: WorkflowRun) => Promise<void>;
  /** Runs the jobs again that failed. */
  readonly rerun: (run: WorkflowRun, onlooker?: Onlooker) => Promise<void>;
  /** The newest run of a workflow, by its file. */
  readonly last: (workflow: string) => WorkflowRun;
}

/** The host of a place. It listens on loopback until the test ends. */
export async function openGitHub(place: Place): Promise<GitHub> {
  const machine = await place.machine(["gh", "npm"]);
  const pulls: Pull[] = [];
  const runs: WorkflowRun[] = [];
  const notes: Record<"comments" | "issues", Note[]> = { comments: [], issues: [] };
  const statuses: Status[] = [];
  const commands: string[] = [];
  const pending = new Map<string, { readonly run: WorkflowRun; readonly begin: () => Promise<void> }>();
  const artifacts: Artifact[] = [];
  const reviews: { readonly pull: number; readonly commit: string; readonly at: string }[] = [];
  const tokens = new Map<string, JsonObject>();
  const refusals: string[] = [];
  const environments: Record<string, Environment> = {};
  const variables: Record<string, string> = {};
  let lastId = 100;
  const id = (): number => (lastId += 1);
  const bare = async (...args: readonly string[]): Promise<string> =>
    (
      await execute("git", ["--git-dir", place.origin, ...args], { env: { ...machine, ...identityOf(place) } })
    ).stdout.trimEnd();

  // The API.

  const routes: readonly [string, RegExp, readonly [string, string], Answer][] = [
    [
      "GET",
      /^branches\/main$/,
      ["contents", "read"],
      async () => ({ commit: { sha: await bare("rev-parse", "main") } }),
    ],
    [
      "GET",
      /^git\/trees\/(\w+)$/,
      ["contents", "read"],
      async ([sha = ""]) => {
        const lines = (await bare("ls-tree", sha)).split("\n");
        return { tree: lines.map((line) => ({ sha: line.split(/\s/)[2] ?? "", path: line.split("\t")[1] ?? "" })) };
      },
    ],
    [
      "GET",
      /^commits\/(\w+)\/statuses$/,
      ["statuses", "read"],
      ([sha]) =>
        statuses
          .filter((each) => each.place === sha)
          .map(({ state, context, description }) => ({ state, context, description }))
          .toReversed(),
    ],
    [
      "GET",
      /^commits\/(\w+)\/pulls$/,
      ["pull-requests", "read"],
      ([sha]) => pulls.filter(({ head, merge }) => head === sha || merge === sha).map(pullDocument),
    ],
    [
      "GET",
      /^pulls\/(\d+)\/reviews$/,
      ["pull-requests", "read"],
      ([number]) =>
        reviews
          .filter(({ pull }) => pull === Number(number))
          .map(({ commit, at }) => ({ state: "APPROVED", user: { id: 1 }, commit_id: commit, submitted_at: at })),
    ],
    [
      "GET",
      /^actions\/artifacts$/,
      ["actions", "read"],
      (_, query) => ({
        artifacts: artifacts
          .filter(({ name }) => name === query.get("name"))
          .map((each) => ({
            id: each.id,
            expired: false,
            created_at: each.createdAt,
            digest: each.digest,
            workflow_run: { id: each.run },
          })),
      }),
    ],
    [
      "GET",
      /^actions\/artifacts\/(\d+)\/zip$/,
      ["actions", "read"],
      ([number]) => artifacts.find((each) => each.id === Number(number))?.zip,
    ],
    [
      "GET",
      /^actions\/runs\/(\d+)$/,
      ["actions", "read"],
      ([number]) => {
        const run = runs.find((each) => each.id === Number(number));
        return (
          run && {
            path: run.path,
            event: run.event.name,
            conclusion: run.conclusion,
            head_branch: run.headBranch,
            repository: { full_name: REPOSITORY },
          }
        );
      },
    ],
    [
      "GET",
      /^actions\/workflows\/([\w.-]+)\/runs$/,
      ["actions", "read"],
      ([file], query) => {
        const found = runs.filter(
          ({ path, event }) => path.endsWith(`/${file ?? ""}`) && event.name === query.get("event"),
        );
        const shown = found.map(({ conclusion }) => ({ status: conclusion === null ? "waiting" : "completed" }));
        return { workflow_runs: shown };
      },
    ],
    [
      "GET",
      /^issues\/(\d+)\/comments$/,
      ["pull-requests", "read"],
      ([number]) =>
        notes.comments
          .filter((each) => each.place === number)
          .map((each) => ({ id: each.id, body: each.body, user: { login: "github-actions[bot]" } })),
    ],
    [
      "POST",
      /^issues\/(\d+)\/comments$/,
      ["pull-requests", "write"],
      ([number = ""], _query, body) => note("comments", number, limited(text(body, "body"))),
    ],
    [
      "PATCH",
      /^issues\/comments\/(\d+)$/,
      ["pull-requests", "write"],
      ([number], _query, body) => rewrite("comments", number, limited(text(body, "body"))),
    ],
    [
      "POST",
      /^statuses\/(\w+)$/,
      ["statuses", "write"],
      ([sha = ""], _query, body) => {
        const [state, context] = [text(body, "state"), text(body, "context")];
        const description = optionalText(body, "description") ?? "";
        statuses.push({ id: id(), place: sha, body: `${context}: ${state}`, state, context, description });
        return { id: lastId };
      },
    ],
    ["GET", /^issues$/, ["issues", "read"], () => notes.issues.map(({ id }) => ({ number: id }))],
    [
      "POST",
      /^issues$/,
      ["issues", "write"],
      (_parts, _query, body) => {
        const labels = texts(body, "labels").join();
        return note("issues", `${text(body, "title")} [${labels}]`, limited(text(body, "body")));
      },
    ],
    [
      "PATCH",
      /^issues\/(\d+)$/,
      ["issues", "write"],
      ([number], _query, body) => rewrite("issues", number, limited(text(body, "body"))),
    ],
  ];

  function note(sort: keyof typeof notes, where: string, body: string): Json {
    const made = { id: id(), place: where, body };
    notes[sort].push(made);
    return { id: made.id };
  }

  function rewrite(sort: keyof typeof notes, number: string | undefined, body: string): Json {
    const found = notes[sort].find((each) => String(each.id) === number);
    if (!found) throw new Error(`there is no ${sort} ${number ?? ""}`);
    found.body = body;
    return { id: found.id };
  }

  async function answer(method: string, url: URL, token: string, body: JsonObject): Promise<[number, Json | Buffer]> {
    const path = url.pathname.replace(`/repos/${REPOSITORY}/`, "");
    const route = routes.find(([verb, form]) => verb === method && form.test(path));
    if (!route) return [501, `the GitHub of the tests does not know ${method} ${path}`];
    const [, form, [scope, right], act] = route;
    const granted = tokens.get(token)?.[scope];
    if (granted !== "write" && granted !== right) {
      refusals.push(`${method} ${path} needs ${scope}: ${right}`);
      return [403, "Resource not accessible by integration"];
    }
    const found = await act([...(form.exec(path) ?? [])].slice(1), url.searchParams, body);
    return found === undefined ? [404, "Not Found"] : [200, found];
  }

  async function respond(
    response: ServerResponse,
    method: string,
    url: URL,
    token: string,
    body: JsonObject,
  ): Promise<void> {
    const [status, found] = await answer(method, url, token, body).catch(
      (thrown: unknown) => [500, String(thrown)] as const,
    );
    response.writeHead(status).end(Buffer.isBuffer(found) ? found : JSON.stringify(found));
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const sent: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}");
      const token = (request.headers.authorization ?? "").replace("Bearer ", "");
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      void respond(response, request.method ?? "", url, token, isObject(sent) ? sent : {});
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  const address = server.address();
  const api = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;

  // The workflows.

  /** Starts each workflow of the commit that the event starts, and what their ends start. */
  async function trigger(event: Event, commit: string, onlooker?: Onlooker): Promise<void> {
    const names = (await bare("ls-tree", "--name-only", commit, ".github/workflows/")).split("\n");
    for (const path of names.filter((name) => name.endsWith(".yml"))) {
      const workflow = await readWorkflow(commit, path);
      if (await starts(workflow, event)) await start(path, workflow, event, onlooker);
    }
  }

  async function readWorkflow(commit: string, path: string): Promise<JsonObject> {
    const workflow: unknown = parse(await bare("show", `${commit}:${path}`));
    if (!isObject(workflow)) throw new Error(`${path} is no workflow`);
    return workflow;
  }

  async function starts(workflow: JsonObject, { name, payload, sha }: Event): Promise<boolean> {
    const on = object(workflow, "on");
    if (!Object.hasOwn(on, name)) return false;
    const filter = optionalObject(on, name) ?? {};
    const known = ["branches", "paths", "workflows", "types", "inputs"];
    const unknown = Object.keys(filter).find((key) => !known.includes(key));
    if (unknown !== undefined) throw new Error(`on.${name}.${unknown} is none that the tests know`);
    if (Object.hasOwn(filter, "branches") && !texts(filter, "branches").includes("main")) return false;
    if (Object.hasOwn(filter, "paths")) {
      const changed = (await bare("diff", "--name-only", `${sha}^1`, sha)).split("\n");
      if (!changed.some((file) => picomatch(texts(filter, "paths").join())(file))) return false;
    }
    return (
      name !== "workflow_run" || texts(filter, "workflows").includes(text(object(payload, "workflow_run"), "name"))
    );
  }

  async function start(path: string, workflow: JsonObject, event: Event, onlooker?: Onlooker): Promise<WorkflowRun> {
    const isPull = event.name === "pull_request";
    const head = isPull ? object(object(event.payload, "pull_request"), "head") : undefined;
    const run: WorkflowRun = {
      id: id(),
      path,
      event,
      createdAt: place.tick(),
      headSha: head ? text(head, "sha") : event.sha,
      headBranch: head ? text(head, "ref") : "main",
      group: groupOf(workflow, event),
      attempt: 1,
      conclusion: null,
      jobs: {},
    };
    runs.push(run);
    const begin = (): Promise<void> => goOn(run, workflow, undefined, onlooker);
    const holder = runs.find((each) => each !== run && each.group === run.group && each.conclusion === null);
    if (!holder) await begin();
    else if (object(workflow, "concurrency")["cancel-in-progress"] === true) {
      holder.conclusion = "cancelled";
      await begin();
    } else {
      const replaced = pending.get(run.group);
      if (replaced) replaced.run.conclusion = "cancelled";
      pending.set(run.group, { run, begin });
    }
    return run;
  }

  /** Starts the run that has waited for the end of another one of its group. */
  async function release(group: string): Promise<void> {
    const next = pending.get(group);
    pending.delete(group);
    await next?.begin();
  }

  function groupOf(workflow: JsonObject, event: Event): string {
    const contexts = { github: { event: event.payload, event_name: event.name } };
    const lookup: Lookup = (path) => scalar(at(contexts, path) ?? null);
    return interpolate(text(object(workflow, "concurrency"), "group"), lookup, {
      hasFailed: false,
      isCancelled: false,
    });
  }

  /** Runs the jobs that have not ended; stops at one that waits for a reviewer, unless that one is reviewed. */
  async function goOn(
    run: WorkflowRun,
    workflow: JsonObject,
    reviewed: string | undefined,
    onlooker?: Onlooker,
  ): Promise<void> {
    for (const [name, job] of Object.entries(object(workflow, "jobs"))) {
      if (!isObject(job)) throw new Error(`the job ${name} is no object`);
      const before = run.jobs[name]?.status;
      if (before !== undefined && before !== "waiting") continue;
      run.jobs[name] = await runJob(run, workflow, job, reviewed === name, onlooker);
      if (run.jobs[name].status === "waiting") return;
    }
    const ended = Object.values(run.jobs).map(({ status }) => status);
    run.conclusion = ended.includes("failure")
      ? "failure"
      : ended.includes("cancelled")
        ? "cancelled"
        : ended.every((status) => status === "skipped")
          ? "skipped"
          : "success";
    if (run.event.name !== "workflow_run") await triggerAfter(text(workflow, "name"), run.event, run);
    await release(run.group);
  }

  /** Starts what the end of a run starts. */
  async function triggerAfter(
    name: string,
    event: Event,
    { conclusion, headSha, headBranch }: Pick<WorkflowRun, "conclusion" | "headSha" | "headBranch">,
  ): Promise<void> {
    const payload = {
      repository: { default_branch: "main" },
      workflow_run: {
        name,
        event: event.name,
        conclusion,
        head_sha: headSha,
        head_branch: headBranch,
        head_repository: { full_name: headRepository(event) },
      },
    };
    const sha = await bare("rev-parse", "main");
    await trigger({ name: "workflow_run", payload, sha, ref: MAIN }, sha);
  }

  async function runJob(
    run: WorkflowRun,
    workflow: JsonObject,
    job: JsonObject,
    isReviewed: boolean,
    onlooker?: Onlooker,
  ): Promise<JobRun> {
    const { event } = run;
    const standing = { hasFailed: false, isCancelled: false };
    const outputs: Record<string, Record<string, string>> = {};
    const needs = optionalText(job, "needs");
    const needed = needs === undefined ? undefined : run.jobs[needs];
    const secrets: Record<string, string> = {};
    const token = `ghs_${id()}`;
    const permissions = optionalObject(job, "permissions") ?? optionalObject(workflow, "permissions");
    if (!permissions) throw new Error(`${run.path} leaves the permissions of its token to the repository`);
    tokens.set(token, event.isFork ? mapValues(permissions, () => "read") : permissions);

    const workspace = await mkdtemp(join(place.folder, "workspace-"));
    const temp = await mkdtemp(join(place.folder, "temp-"));
    const contexts: JsonObject = {
      github: {
        event: event.payload,
        event_name: event.name,
        repository: REPOSITORY,
        ref: event.ref,
        sha: event.sha,
        token,
      },
      runner: { temp },
      needs: needs === undefined ? {} : { [needs]: { outputs: needed?.outputs ?? {} } },
    };
    const lookup: Lookup = (path) => {
      const [root = "", first = "", ...rest] = path;
      if (root === "secrets") return secrets[first] ?? null;
      if (root === "vars") return variables[first] ?? null;
      if (root === "inputs") return scalar(event.inputs?.[first] ?? null);
      if (path.join(".") === "job.status")
        return standing.isCancelled ? "cancelled" : standing.hasFailed ? "failure" : "success";
      if (root === "steps") {
        const step = outputs[first];
        if (!step || rest[0] !== "outputs") throw new Error(`${path.join(".")}: there is no such step before`);
        return step[rest[1] ?? ""] ?? null;
      }
      if (root === "needs") return scalar(at(contexts, path) ?? null);
      const found = at(contexts, path);
      if (found === undefined) throw new Error(`${path.join(".")} is none that the tests know`);
      return scalar(found);
    };
    const fill = (source: string): string => interpolate(source, lookup, standing);

    const ended = { environment: "", outputs: {}, codes: {}, log: "", summary: "" };
    const isNeeded = { hasFailed: needed !== undefined && needed.status !== "success", isCancelled: false };
    if (!holds(optionalText(job, "if"), lookup, isNeeded)) return { ...ended, status: "skipped" };
    const environment = fill(optionalText(job, "environment") ?? "");
    if (environment !== "") {
      const found = environments[environment];
      if (!found) throw new Error(`there is no environment ${environment}`);
      if (event.ref !== MAIN)
        return { ...ended, environment, status: "failure", log: `${event.ref} may not use ${environment}` };
      if (found.isReviewed && !isReviewed) return { ...ended, environment, status: "waiting" };
      Object.assign(secrets, found.secrets);
    }

    const shell = text(object(object(workflow, "defaults"), "run"), "shell");
    if (shell !== "bash") throw new Error(`the tests know no shell ${shell}`);
    const codes: Record<string, number> = {};
    let log = "";
    const files = { output: join(temp, "_output"), summary: join(temp, "_summary") };
    await writeFile(files.summary, "");
    for (const step of objects(job, "steps")) {
      const name = optionalText(step, "name") ?? text(step, "uses");
      const stepId = optionalText(step, "id") ?? `_${name}`;
      if (!holds(optionalText(step, "if"), lookup, standing)) {
        outputs[stepId] = {};
        continue;
      }
      await writeFile(files.output, "");
      const uses = optionalText(step, "uses");
      if (uses !== undefined) {
        const inputs = mapValues(optionalObject(step, "with") ?? {}, (value) => fill(String(scalar(value))));
        outputs[stepId] = {};
        try {
          await useAction(uses, inputs, { run, event, workspace, temp });
        } catch (thrown) {
          log += `${name}: ${String(thrown)}\n`;
          standing.hasFailed = true;
        }
        continue;
      }
      const env = {
        ...machine,
        GITHUB_ACTIONS: "true",
        CI: "true",
        GITHUB_API_URL: api,
        GITHUB_SERVER_URL: "https://github.example",
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_RUN_ID: String(run.id),
        GITHUB_RUN_ATTEMPT: String(run.attempt),
        GITHUB_EVENT_NAME: event.name,
        GITHUB_REF: event.ref,
        GITHUB_SHA: event.sha,
        GITHUB_WORKSPACE: workspace,
        GITHUB_OUTPUT: files.output,
        GITHUB_STEP_SUMMARY: files.summary,
        RUNNER_TEMP: temp,
        ...mapValues(optionalObject(job, "env") ?? {}, (value) => fill(String(scalar(value)))),
        ...mapValues(optionalObject(step, "env") ?? {}, (value) => fill(String(scalar(value)))),
      };
      const script = join(temp, "_step.sh");
      await writeFile(script, fill(text(step, "run")));
      const cwd = resolve(workspace, fill(optionalText(step, "working-directory") ?? "."));
      const running = startScript(["--noprofile", "--norc", "-eo", "pipefail", script], { cwd, env });
      if (name === WATCHED) await onlooker?.(running);
      const { code, output } = await running.ended;
      codes[name] = code;
      log += `::: ${name}\n${output}`;
      if (code !== 0) standing.hasFailed = true;
      const told = commandsIn(output);
      commands.push(...told);
      outputs[stepId] = { ...setBy(told), ...parseOutputs(await readFile(files.output, "utf8")) };
    }
    return {
      status: standing.hasFailed ? "failure" : "success",
      environment,
      outputs: mapValues(optionalObject(job, "outputs") ?? {}, (value) => fill(String(scalar(value)))),
      codes,
      log,
      summary: await readFile(files.summary, "utf8"),
    };
  }

  /** What an action of GitHub's does, for the inputs that the examples give it. */
  async function useAction(
    uses: string,
    inputs: Readonly<Record<string, string>>,
    { run, event, workspace, temp }: { run: WorkflowRun; event: Event; workspace: string; temp: string },
  ): Promise<void> {
    const [action = "", version = ""] = uses.split("@");
    if (!/^[0-9a-f]{40}$/.test(version)) throw new Error(`${uses} is not pinned to a commit`);
    switch (action) {
      case "actions/checkout":
        return checkOut(inputs, event, workspace);
      case "actions/setup-node":
        if (inputs["node-version"] === undefined) throw new Error("setup-node gets no version");
        return undefined;
      case "actions/upload-artifact":
        return upload(inputs, run, temp);
      case "actions/download-artifact": {
        const found = artifacts.find((each) => each.run === run.id && each.name === inputs["name"]);
        if (!found) throw new Error(`the run has no artifact ${inputs["name"] ?? ""}`);
        const zip = join(temp, "_artifact.zip");
        await writeFile(zip, found.zip);
        await execute("unzip", ["-q", zip, "-d", inputs["path"] ?? workspace]);
        return undefined;
      }
      default:
        throw new Error(`${action} is none that the tests know`);
    }
  }

  async function checkOut(inputs: Readonly<Record<string, string>>, event: Event, workspace: string): Promise<void> {
    if (inputs["persist-credentials"] !== "false") throw new Error("the checkout leaves its credentials behind");
    const folder = join(workspace, inputs["path"] ?? ".");
    await mkdir(folder, { recursive: true });
    const git = (...args: readonly string[]): Promise<unknown> => execute("git", args, { cwd: folder, env: machine });
    await git("init", "--quiet");
    const depth = inputs["fetch-depth"] ?? "1";
    const ref = inputs["ref"] ?? (event.name === "pull_request" ? event.ref : event.sha);
    await git("fetch", "--quiet", ...(depth === "0" ? [] : ["--depth", depth]), `file://${place.origin}`, ref);
    const sparse = inputs["sparse-checkout"];
    if (sparse !== undefined) await git("sparse-checkout", "set", ...sparse.trim().split("\n"));
    await git("checkout", "--quiet", "FETCH_HEAD");
  }

  async function upload(inputs: Readonly<Record<string, string>>, run: WorkflowRun, temp: string): Promise<void> {
    const [name = "", path = ""] = [inputs["name"], inputs["path"]];
    if (!existsSync(path)) throw new Error(`there is nothing to upload at ${path}`);
    const zip = join(temp, "_upload.zip");
    await rm(zip, { force: true });
    await ((await stat(path)).isDirectory()
      ? execute("zip", ["-q", "-r", zip, "."], { cwd: path })
      : execute("zip", ["-q", "-j", zip, path]));
    const before = artifacts.findIndex((each) => each.run === run.id && each.name === name);
    if (before !== -1) {
      if (inputs["overwrite"] !== "true") throw new Error(`the run has an artifact ${name} already`);
      artifacts.splice(before, 1);
    }
    const content = await readFile(zip);
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    artifacts.push({ id: id(), name, run: run.id, createdAt: place.tick(), zip: content, digest });
  }

  // What people do.

  /** Makes the refs of a pull request, and gives the event that its workflows get. */
  async function propose(branch: string, repository: string): Promise<readonly [Pull, Event]> {
    await place.git("push", "--quiet", "--force", "origin", branch);
    const made = await place.git("rev-parse", branch);
    const pull = { number: pulls.length + 1, branch, repository, head: made, mergedAt: null, merge: null };
    pulls.push(pull);
    await bare("update-ref", `refs/pull/${pull.number}/head`, pull.head);
    const tree = await bare("merge-tree", "--write-tree", "main", pull.head).catch(() => undefined);
    if (tree !== undefined) {
      const merge = await bare("commit-tree", tree, "-p", "main", "-p", pull.head, "-m", "merge");
      await bare("update-ref", `refs/pull/${pull.number}/merge`, merge);
    }
    const ref = `refs/pull/${pull.number}/merge`;
    const sha = await bare("rev-parse", ref);
    const head = { sha: pull.head, ref: pull.branch, repo: { full_name: pull.repository } };
    const payload = { repository: { default_branch: "main" }, pull_request: { number: pull.number, head } };
    return [pull, { name: "pull_request", payload, sha, ref, isFork: repository !== REPOSITORY }];
  }

  async function runByName(workflow: string, event: Omit<Event, "sha" | "ref" | "payload">): Promise<WorkflowRun> {
    const sha = await bare("rev-parse", "main");
    const path = `.github/workflows/${workflow}`;
    const full = { ...event, sha, ref: MAIN, payload: { repository: { default_branch: "main" } } };
    const document = await readWorkflow(sha, path);
    if (!(await starts(document, full))) throw new Error(`${event.name} does not start ${workflow}`);
    return start(path, document, full);
  }

  const last = (workflow: string): WorkflowRun => {
    const found = runs.findLast(({ path }) => path.endsWith(`/${workflow}`));
    if (!found) throw new Error(`${workflow} has not run`);
    return found;
  };

  const github: GitHub = {
    environments,
    variables,
    runs,
    artifacts,
    refusals,
    statuses,
    commands,
    ...notes,
    open: async (branch, repository = REPOSITORY) => {
      const [pull, event] = await propose(branch, repository);
      await trigger(event, event.sha);
      return pull;
    },
    openValid: async (branch) => {
      const [pull, event] = await propose(branch, REPOSITORY);
      await triggerAfter("zoneform validate", event, { conclusion: "success", headSha: pull.head, headBranch: branch });
      return pull;
    },
    openQuietly: async (branch) => (await propose(branch, REPOSITORY))[0],
    approve: ({ number, head }) => void reviews.push({ pull: number, commit: head, at: place.tick() }),
    mergeQuietly: async (pull) => {
      pull.merge = await place.merge(pull.head, `Merge pull request #${pull.number}`);
      pull.mergedAt = place.tick();
    },
    merge: async (pull, onlooker) => {
      await github.mergeQuietly(pull);
      const sha = pull.merge ?? "";
      const payload = { repository: { default_branch: "main" } };
      await trigger({ name: "push", payload, sha, ref: MAIN }, sha, onlooker);
      return last("zoneform-apply.yml");
    },
    schedule: (workflow) => runByName(workflow, { name: "schedule" }),
    dispatch: (workflow, inputs = {}) => runByName(workflow, { name: "workflow_dispatch", inputs }),
    review: async (run) => {
      const waiting = Object.entries(run.jobs).find(([, { status }]) => status === "waiting");
      if (!waiting) throw new Error("the run waits for nobody");
      await goOn(run, await readWorkflow(run.event.sha, run.path), waiting[0]);
    },
    reject: async (run) => {
      const waiting = Object.entries(run.jobs).find(([, { status }]) => status === "waiting");
      if (!waiting) throw new Error("the run waits for nobody");
      run.jobs[waiting[0]] = { ...waiting[1], status: "failure" };
      run.conclusion = "failure";
      await release(run.group);
    },
    rerun: async (run, onlooker) => {
      run.attempt += 1;
      const kept = Object.entries(run.jobs).filter(([, { status }]) => status === "success");
      run.jobs = Object.fromEntries(kept);
      run.conclusion = null;
      await goOn(run, await readWorkflow(run.event.sha, run.path), undefined, onlooker);
    },
    last,
  };
  return github;
}

type Answer = (
  parts: readonly string[],
  query: URLSearchParams,
  body: JsonObject,
) => Json | Buffer | undefined | Promise<Json | undefined>;

/** The step that an onlooker looks at. */
const WATCHED = "Apply";

/** The host as an author, at the next second of its clock. */
function identityOf(place: Place): Readonly<Record<string, string>> {
  const at = place.tick();
  return {
    GIT_AUTHOR_NAME: "host",
    GIT_AUTHOR_EMAIL: "host@example.org",
    GIT_COMMITTER_NAME: "host",
    GIT_COMMITTER_EMAIL: "host@example.org",
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_DATE: at,
  };
}

function pullDocument({ number, head, mergedAt, merge }: Pull): JsonObject {
  return {
    number,
    state: mergedAt === null ? "open" : "closed",
    head: { sha: head },
    base: { ref: "main" },
    merged_at: mergedAt,
    merge_commit_sha: merge,
  };
}

function headRepository({ name, payload }: Event): string {
  return name === "pull_request"
    ? text(object(object(object(payload, "pull_request"), "head"), "repo"), "full_name")
    : REPOSITORY;
}

/** GitHub refuses longer ones. */
function limited(body: string): string {
  if (body.length > 65_536) throw new Error(`the body has ${body.length} characters`);
  return body;
}

/** The lines that GitHub's runner takes for commands: `::name …::…` after blanks, and `##[name …]…` anywhere. */
function commandsIn(output: string): readonly string[] {
  const found: string[] = [];
  let stop: string | undefined;
  for (const line of output.split("\n")) {
    const [command = ""] = /^(?=\s*::)\s*::[^:].*?::.*$|##\[[a-z-]+.*?\].*$/.exec(line) ?? [];
    if (command === "") continue;
    const [, token] = /^::stop-commands::(.+)$/.exec(command) ?? [];
    if (stop === undefined && token === undefined) found.push(command.trim());
    else if (stop === undefined) stop = token;
    else if (command === `::${stop}::`) stop = undefined;
  }
  return found;
}

/** The outputs that printed lines set. */
function setBy(told: readonly string[]): Record<string, string> {
  const form = /^(?:::|##\[)set-output name=([\w-]+)(?:::|;?\])(.*)$/;
  return Object.fromEntries(
    told.flatMap((line) => {
      const [, name, value = ""] = form.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

function parseOutputs(file: string): Record<string, string> {
  const lines = file.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name === "") throw new Error(`${line} is no output`);
      return [name, value];
    }),
  );
}

function at(value: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const name of path) current = isObject(current) ? current[name] : undefined;
  return current;
}

function scalar(value: Json): Value {
  if (typeof value === "object" && value !== null) throw new Error(`${JSON.stringify(value)} is no scalar`);
  return value;
}

function mapValues<T>(from: JsonObject, map: (value: Json) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
