import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import picomatch from "picomatch";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { object, objects, optionalObject, optionalText, text, texts } from "../../../lib/core/decode.ts";
import { isObject, type Json, type JsonObject } from "../../../lib/core/json.ts";
import { ROOT } from "../command.ts";
import type { Place } from "./place.ts";
import { type Onlooker, startScript } from "./script.ts";

const execute = promisify(execFile);

const PROJECT_ID = "42";
const TOKEN = "glpat-of-the-tests-0123456789";
const BOT = 7;

/** The file as it is shipped. It is in a project of its own, so no branch of the project with the YAML has it. */
const CONFIGURATION = join(ROOT, "examples/ci/gitlab/.gitlab-ci.yml");

/** Keys of a job that the tests carry out or may leave out: who runs it, for how long, and who may look. */
const KNOWN_KEYS =
  "stage rules script environment artifacts needs allow_failure interruptible timeout retry resource_group".split(" ");

/** A merge request. */
export interface MergeRequest {
  readonly iid: number;
  readonly head: string;
  readonly sourceProject: string;
  approvedAt: string | null;
  mergedAt: string | null;
  merge: string | null;
}

/** How a job ended, or that it waits for somebody. */
export interface JobRun {
  readonly id: number;
  readonly name: string;
  readonly status: "success" | "warning" | "failed" | "manual";
  readonly code: number;
  readonly log: string;
  readonly finishedAt: string;
  /** The files that it kept, by their paths. */
  readonly artifacts: Readonly<Record<string, string>>;
  readonly dotenv: Readonly<Record<string, string>>;
  /** The names of the secrets that it got. */
  readonly secrets: readonly string[];
}

/** One pipeline. */
export interface Pipeline {
  readonly id: number;
  readonly source: "merge_request_event" | "push" | "schedule" | "web";
  readonly sha: string;
  readonly projectId: string;
  readonly mergeRequest?: MergeRequest;
  jobs: Record<string, JobRun>;
}

/** A comment or an issue, as somebody reads it. */
interface Note {
  readonly id: number;
  readonly place: string;
  body: string;
}

/** A stand-in for GitLab: it has the API that the example calls, and runs its jobs. */
export interface GitLab {
  /** Variables by their environment. Those of applies are protected: only pipelines of main get them. */
  readonly environments: Record<string, Record<string, string>>;
  /** Variables of the project. */
  readonly variables: Record<string, string>;
  readonly notes: readonly Note[];
  readonly issues: readonly Note[];
  /** Opens a merge request of a branch of the clone, or of a fork, and runs its pipeline. */
  readonly open: (branch: string, sourceProject?: string) => Promise<{ request: MergeRequest; pipeline: Pipeline }>;
  readonly approve: (request: MergeRequest) => void;
  readonly merge: (request: MergeRequest, onlooker?: Onlooker) => Promise<Pipeline>;
  readonly mergeQuietly: (request: MergeRequest) => Promise<void>;
  readonly schedule: () => Promise<Pipeline>;
  /** Starts a manual job, or runs one again. */
  readonly play: (pipeline: Pipeline, job: string, onlooker?: Onlooker) => Promise<JobRun>;
}

/** The host of a place. It listens on loopback until the test ends. */
export async function openGitLab(place: Place): Promise<GitLab> {
  const machine = await place.machine([]);
  const requests: MergeRequest[] = [];
  const pipelines: Pipeline[] = [];
  const notes: Note[] = [];
  const issues: Note[] = [];
  const environments: Record<string, Record<string, string>> = {};
  const variables: Record<string, string> = {};
  const isInScope = picomatch(await scopeOf("ZONEFORM_GITLAB_TOKEN"));
  const configuration: unknown = parse(await readFile(CONFIGURATION, "utf8"));
  if (!isObject(configuration)) throw new Error("the configuration is no object");
  const settings = configuration;
  let lastId = 1000;
  const id = (): number => (lastId += 1);

  // The API.

  const routes: readonly [string, RegExp, Answer][] = [
    ["GET", /^user$/, () => ({ id: BOT })],
    [
      "GET",
      /^projects\/42\/merge_requests\/(\d+)\/notes$/,
      ([iid]) =>
        notes
          .filter((each) => each.place === iid)
          .map((each) => ({ id: each.id, author: { id: BOT }, body: each.body })),
    ],
    [
      "POST",
      /^projects\/42\/merge_requests\/(\d+)\/notes$/,
      ([iid = ""], form) => add(notes, iid, form.get("body") ?? ""),
    ],
    [
      "PUT",
      /^projects\/42\/merge_requests\/\d+\/notes\/(\d+)$/,
      ([number], form) => rewrite(notes, number, form.get("body") ?? ""),
    ],
    [
      "GET",
      /^projects\/42\/repository\/commits\/(\w+)\/merge_requests$/,
      ([sha]) =>
        requests
          .filter(({ head, merge }) => head === sha || merge === sha)
          .map((each) => ({
            iid: each.iid,
            state: each.mergedAt === null ? "opened" : "merged",
            target_branch: "main",
            sha: each.head,
            merge_commit_sha: each.merge,
            squash_commit_sha: null,
            merged_at: each.mergedAt,
          })),
    ],
    [
      "GET",
      /^projects\/42\/merge_requests\/(\d+)\/approvals$/,
      ([iid]) => {
        const at = requests.find((each) => each.iid === Number(iid))?.approvedAt ?? null;
        return { approved_by: at === null ? [] : [{ user: { id: 1 }, approved_at: at }] };
      },
    ],
    [
      "GET",
      /^projects\/42\/merge_requests\/(\d+)\/pipelines$/,
      ([iid]) =>
        pipelines
          .filter(({ mergeRequest }) => mergeRequest?.iid === Number(iid))
          .map((each) => ({
            id: each.id,
            source: each.source,
            sha: each.sha,
            project_id: Number(each.projectId),
            status: statusOf(each),
          })),
    ],
    [
      "GET",
      /^projects\/42\/pipelines\/(\d+)\/jobs$/,
      ([number]) =>
        Object.values(pipelines.find((each) => each.id === Number(number))?.jobs ?? {})
          .filter(({ status }) => status === "success")
          .map(({ id, name, finishedAt }) => ({ id, name, finished_at: finishedAt })),
    ],
    [
      "GET",
      /^projects\/42\/jobs\/(\d+)\/artifacts\/(.+)$/,
      ([number, path = ""]) => {
        const jobs = pipelines.flatMap((each) => Object.values(each.jobs));
        const file = jobs.find((job) => job.id === Number(number))?.artifacts[path];
        return file === undefined ? undefined : Buffer.from(file);
      },
    ],
    ["GET", /^projects\/42\/issues$/, () => issues.map(({ id: iid }) => ({ iid }))],
    [
      "POST",
      /^projects\/42\/issues$/,
      (_, form) =>
        add(issues, `${form.get("title") ?? ""} [${form.get("labels") ?? ""}]`, form.get("description") ?? ""),
    ],
    [
      "PUT",
      /^projects\/42\/issues\/(\d+)$/,
      ([number], form) => rewrite(issues, number, form.get("description") ?? ""),
    ],
  ];

  function add(list: Note[], where: string, body: string): Json {
    if (body.length === 0 || body.length > 1_000_000) throw new Error(`the text has ${body.length} characters`);
    list.push({ id: id(), place: where, body });
    return { id: lastId };
  }

  function rewrite(list: Note[], number: string | undefined, body: string): Json {
    const found = list.find((each) => String(each.id) === number);
    if (!found) throw new Error(`there is no ${number ?? ""}`);
    found.body = body;
    return { id: found.id };
  }

  function answer(method: string, path: string, token: string, body: string): readonly [number, Json | Buffer] {
    if (token !== TOKEN) return [401, "401 Unauthorized"];
    const route = routes.find(([verb, form]) => verb === method && form.test(path));
    if (!route) return [501, `the GitLab of the tests does not know ${method} ${path}`];
    const [, form, act] = route;
    const found = act([...(form.exec(path) ?? [])].slice(1), new URLSearchParams(body));
    return found === undefined ? [404, "404 Not Found"] : [200, found];
  }

  function respond(response: ServerResponse, ...given: Parameters<typeof answer>): void {
    let ended: readonly [number, Json | Buffer];
    try {
      ended = answer(...given);
    } catch (thrown) {
      ended = [500, String(thrown)];
    }
    response.writeHead(ended[0]).end(Buffer.isBuffer(ended[1]) ? ended[1] : JSON.stringify(ended[1]));
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
      const token = String(request.headers["private-token"] ?? "");
      const body = Buffer.concat(pieces).toString("utf8");
      respond(response, request.method ?? "", pathname.replace("/api/v4/", ""), token, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  const address = server.address();
  const api = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/api/v4`;

  // The pipelines.

  function predefined(pipeline: Omit<Pipeline, "jobs">): Record<string, string> {
    const request = pipeline.mergeRequest;
    return {
      CI: "true",
      GITLAB_CI: "true",
      CI_API_V4_URL: api,
      CI_PROJECT_ID: PROJECT_ID,
      CI_DEFAULT_BRANCH: "main",
      CI_PIPELINE_SOURCE: pipeline.source,
      CI_COMMIT_SHA: pipeline.sha,
      ...(request === undefined
        ? { CI_COMMIT_BRANCH: "main" }
        : {
            CI_MERGE_REQUEST_IID: String(request.iid),
            CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
            CI_MERGE_REQUEST_SOURCE_PROJECT_ID: request.sourceProject,
          }),
    };
  }

  async function runPipeline(made: Omit<Pipeline, "jobs" | "id">, onlooker?: Onlooker): Promise<Pipeline> {
    const pipeline: Pipeline = { ...made, id: id(), jobs: {} };
    pipelines.push(pipeline);
    const given = predefined(pipeline);
    if (!objects(object(settings, "workflow"), "rules").some((rule) => isMet(text(rule, "if"), given))) return pipeline;
    for (const stage of texts(settings, "stages")) {
      for (const [name, job] of jobsOf(stage)) {
        const rule = await ruleOf(job, pipeline, given);
        if (!rule) continue;
        pipeline.jobs[name] =
          optionalText(rule, "when") === "manual"
            ? {
                id: id(),
                name,
                status: "manual",
                code: 0,
                log: "",
                finishedAt: "",
                artifacts: {},
                dotenv: {},
                secrets: [],
              }
            : await runJob(pipeline, name, job, onlooker);
      }
      if (Object.values(pipeline.jobs).some(({ status }) => status === "failed")) break;
    }
    return pipeline;
  }

  function jobsOf(stage: string): readonly (readonly [string, JsonObject])[] {
    return Object.entries(settings).flatMap(([name, job]) =>
      isObject(job) && job["stage"] === stage ? [[name, job] as const] : [],
    );
  }

  async function ruleOf(
    job: JsonObject,
    { sha }: Pipeline,
    given: Readonly<Record<string, string>>,
  ): Promise<JsonObject | undefined> {
    for (const rule of objects(job, "rules")) {
      if (!isMet(text(rule, "if"), given)) continue;
      if (!Object.hasOwn(rule, "changes")) return rule;
      const diff = await execute("git", ["--git-dir", place.origin, "diff", "--name-only", `${sha}^1`, sha]);
      const patterns = texts(rule, "changes").map((pattern) => picomatch(pattern));
      if (diff.stdout.split("\n").some((file) => patterns.some((matches) => matches(file)))) return rule;
    }
    return undefined;
  }

  async function runJob(pipeline: Pipeline, name: string, job: JsonObject, onlooker?: Onlooker): Promise<JobRun> {
    const unknown = Object.keys(job).find((key) => !KNOWN_KEYS.includes(key));
    if (unknown !== undefined) throw new Error(`${name}.${unknown} is none that the tests know`);
    const workspace = await mkdtemp(join(place.folder, "build-"));
    const git = (...args: readonly string[]): Promise<unknown> =>
      execute("git", args, { cwd: workspace, env: machine });
    await git("clone", "--quiet", "--no-checkout", `file://${place.origin}`, ".");
    await git("checkout", "--quiet", "--detach", pipeline.sha);

    const needed = Object.hasOwn(job, "needs") ? texts(job, "needs") : [];
    const dotenv: Record<string, string> = {};
    for (const other of needed) {
      const before = pipeline.jobs[other];
      if (before?.status !== "success" && before?.status !== "warning") throw new Error(`${name} needs ${other}`);
      Object.assign(dotenv, before.dotenv);
      for (const [path, content] of Object.entries(before.artifacts)) await put(join(workspace, path), content);
    }

    const jobId = id();
    const scope = optionalObject(job, "environment");
    const environment = scope ? text(scope, "name") : "";
    const isProtected = environment.startsWith("zoneform-apply");
    const secrets = {
      ...(isInScope(environment) ? { ZONEFORM_GITLAB_TOKEN: TOKEN } : {}),
      ...(isProtected && pipeline.mergeRequest ? {} : environments[environment]),
    };
    const env = {
      ...machine,
      ...strings(object(settings, "variables")),
      ...variables,
      ...secrets,
      ...dotenv,
      ...predefined(pipeline),
      CI_JOB_URL: `https://gitlab.example/shop/edge/-/jobs/${jobId}`,
      CI_PROJECT_DIR: workspace,
    };
    const script = [...texts(object(settings, "default"), "before_script"), ...texts(job, "script")].join("\n");
    // As GitLab's runner does it: the whole script at once, without an input.
    const flags = ["-c", 'set -eo pipefail; set +o noclobber; : | eval "$0"', script];
    const running = startScript(flags, { cwd: workspace, env });
    if (isProtected) await onlooker?.(running);
    const { code, output } = await running.ended;

    const artifacts = optionalObject(job, "artifacts");
    const isKept = code === 0 || optionalText(artifacts ?? {}, "when") === "always";
    const allowed = optionalObject(job, "allow_failure")?.["exit_codes"];
    return {
      id: jobId,
      name,
      status: code === 0 ? "success" : code === allowed ? "warning" : "failed",
      code,
      log: output,
      finishedAt: place.tick(),
      artifacts: isKept && artifacts ? await collect(workspace, texts(artifacts, "paths")) : {},
      dotenv: isKept && artifacts ? await dotenvOf(workspace, artifacts) : {},
      secrets: Object.keys(secrets),
    };
  }

  const merge = async (request: MergeRequest): Promise<void> => {
    request.merge = await place.merge(request.head, `Merge branch\n\nSee merge request shop/edge!${request.iid}`);
    request.mergedAt = place.tick();
  };

  return {
    environments,
    variables,
    notes,
    issues,
    open: async (branch, sourceProject = PROJECT_ID) => {
      await place.git("push", "--quiet", "--force", "origin", branch);
      const head = await place.git("rev-parse", branch);
      const request = { iid: requests.length + 1, head, sourceProject, approvedAt: null, mergedAt: null, merge: null };
      requests.push(request);
      const made = {
        source: "merge_request_event",
        sha: head,
        projectId: sourceProject,
        mergeRequest: request,
      } as const;
      return { request, pipeline: await runPipeline(made) };
    },
    approve: (request) => {
      request.approvedAt = place.tick();
    },
    mergeQuietly: merge,
    merge: async (request, onlooker) => {
      await merge(request);
      return runPipeline({ source: "push", sha: request.merge ?? "", projectId: PROJECT_ID }, onlooker);
    },
    schedule: async () => {
      const sha = await place.git("rev-parse", "main");
      return runPipeline({ source: "schedule", sha, projectId: PROJECT_ID });
    },
    play: async (pipeline, name, onlooker) => {
      const played = await runJob(pipeline, name, object(settings, name), onlooker);
      pipeline.jobs[name] = played;
      return played;
    },
  };
}

type Answer = (parts: readonly string[], form: URLSearchParams) => Json | Buffer | undefined;

/** Conditions of this form: `$A == "text" && $B == $C`. Throws for any other. */
function isMet(condition: string, given: Readonly<Record<string, string>>): boolean {
  return condition.split("&&").every((term) => {
    const [, left = "", quoted, name] = /^\s*\$(\w+) == (?:"([^"]*)"|\$(\w+))\s*$/.exec(term) ?? [];
    if (left === "") throw new Error(`${term} is none that the tests know`);
    return given[left] !== undefined && given[left] === (quoted ?? given[name ?? ""]);
  });
}

/** The environments that get a variable, as docs/ci.md says; all of them for `all`. */
async function scopeOf(variable: string): Promise<string> {
  const page = await readFile(join(ROOT, "docs/ci.md"), "utf8");
  const row = page.split("\n").find((line) => line.trim().startsWith(`| \`${variable}\` |`)) ?? "";
  const scope = row.split("|")[2]?.trim() ?? "";
  return scope === "all" ? "**" : scope.replaceAll("`", "");
}

function statusOf({ jobs }: Pipeline): string {
  const statuses = Object.values(jobs).map(({ status }) => status);
  return statuses.includes("failed") ? "failed" : statuses.includes("manual") ? "manual" : "success";
}

async function collect(workspace: string, paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const path of paths) {
    const isThere = await stat(join(workspace, path)).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (isThere) found[path] = await readFile(join(workspace, path), "utf8");
  }
  return found;
}

async function dotenvOf(workspace: string, artifacts: JsonObject): Promise<Readonly<Record<string, string>>> {
  const path = optionalText(optionalObject(artifacts, "reports") ?? {}, "dotenv");
  const file = path === undefined ? undefined : (await collect(workspace, [path]))[path];
  const lines = (file ?? "").split("\n").filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => [line.split("=", 1).join(), line.slice(line.indexOf("=") + 1)]));
}

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

function strings(from: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]) => {
      if (typeof value !== "string") throw new Error(`${name} is no text`);
      return [name, value];
    }),
  );
}
