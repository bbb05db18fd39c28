import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import picomatch from "picomatch";
import { optionalObject, text, texts } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import { ROOT } from "../../command.ts";
import { gitIn } from "../git.ts";
import type { Place } from "../place.ts";
import { type Onlooker, startScript } from "../script.ts";
import { TOKEN } from "./api.ts";
import { keptBy, placeArtifacts } from "./artifacts.ts";
import type { Configuration, Variables } from "./configuration.ts";
import type { Records } from "./records.ts";
import type { JobRun, Pipeline } from "./shapes.ts";

/** Keys of a job that the tests carry out or may leave out: who runs it, for how long, and who may look. */
const KNOWN_KEYS =
  "stage rules script environment artifacts needs allow_failure interruptible timeout retry resource_group".split(" ");

/** What runs the jobs. */
export interface Runner {
  readonly place: Place;
  readonly records: Records;
  readonly configuration: Configuration;
  /** The environment variables of every job. */
  readonly env: Variables;
  /** What GitLab says to the jobs of a pipeline. */
  readonly predefined: (pipeline: Pipeline) => Variables;
  /** What to run for each line of a script; the line itself without it. */
  readonly asLine?: (line: string) => string;
  /** A folder in which a job of that commit has worked; a new checkout without it. */
  readonly workspace?: string | undefined;
}

/** Runs a job of a pipeline. */
export async function runJob(
  { place, records, configuration, env, predefined, asLine = (line) => line, workspace: given }: Runner,
  pipeline: Pipeline,
  name: string,
  onlooker?: Onlooker,
): Promise<JobRun> {
  const job = configuration.job(name);
  const unknown = Object.keys(job).find((key) => !KNOWN_KEYS.includes(key));
  if (unknown !== undefined) throw new Error(`${name}.${unknown} is none that the tests know`);
  const workspace = given ?? (await checkOut({ place, env }, pipeline));
  const needed = neededBy(job, name, pipeline);
  for (const before of needed) await placeArtifacts(before, workspace);

  const [id, startedAt] = [records.nextId(), place.tick()];
  const environment = optionalObject(job, "environment");
  const scope = environment ? text(environment, "name") : "";
  const isApply = scope.startsWith("zoneform-apply");
  const secrets = {
    ...((await isInScope(scope)) ? { ZONEFORM_GITLAB_TOKEN: TOKEN } : {}),
    ...(isApply && pipeline.mergeRequest ? {} : records.environments[scope]),
  };
  const variables = {
    ...env,
    ...strings(configuration.variables),
    ...records.variables,
    ...secrets,
    ...Object.assign({}, ...needed.map(({ dotenv }) => dotenv)),
    ...predefined(pipeline),
    CI_JOB_URL: `https://gitlab.example/shop/edge/-/jobs/${id}`,
    CI_PROJECT_DIR: workspace,
  };
  const script = [...configuration.beforeScript, ...texts(job, "script").map(asLine)].join("\n");
  // As GitLab's runner does it: the whole script at once, without an input.
  const flags = ["-c", 'set -eo pipefail; set +o noclobber; : | eval "$0"', script];
  const running = startScript(flags, { cwd: workspace, env: variables });
  if (isApply) await onlooker?.(running);
  const { code, output } = await running.ended;

  const allowed = optionalObject(job, "allow_failure")?.["exit_codes"];
  return {
    id,
    name,
    status: code === 0 ? "success" : code === allowed ? "warning" : "failed",
    code,
    log: output,
    startedAt,
    finishedAt: place.tick(),
    ...(await keptBy(job, code, workspace)),
    secrets: Object.keys(secrets),
    workspace,
  };
}

async function checkOut({ place, env }: Pick<Runner, "place" | "env">, { sha }: Pipeline): Promise<string> {
  const workspace = await mkdtemp(join(place.folder, "build-"));
  const git = gitIn(workspace, () => env);
  await git("clone", "--quiet", "--no-checkout", `file://${place.origin}`, ".");
  await git("checkout", "--quiet", "--detach", sha);
  return workspace;
}

function neededBy(job: JsonObject, name: string, { jobs }: Pipeline): readonly JobRun[] {
  return texts(job, "needs").map((other) => {
    const before = jobs[other];
    if (before?.status !== "success" && before?.status !== "warning") throw new Error(`${name} needs ${other}`);
    return before;
  });
}

/** Whether a job of this environment gets the token of the API, as docs/ci.md says; all of them do for `all`. */
async function isInScope(environment: string): Promise<boolean> {
  const page = await readFile(join(ROOT, "docs/ci.md"), "utf8");
  const row = page.split("\n").find((line) => line.trim().startsWith("| `ZONEFORM_GITLAB_TOKEN` |")) ?? "";
  const scope = row.split("|")[2]?.trim() ?? "";
  return picomatch(scope === "all" ? "**" : scope.replaceAll("`", ""))(environment);
}

function strings(from: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.keys(from).map((name) => [name, text(from, name)]));
}
