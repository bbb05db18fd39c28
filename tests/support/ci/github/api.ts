import { optionalText, text, texts } from "../../../../lib/core/decode.ts";
import { isObject, type Json, type JsonObject } from "../../../../lib/core/json.ts";
import { type Call, type Route, serveApi } from "../api-server.ts";
import type { Git } from "../git.ts";
import type { Records } from "./records.ts";
import { type Pull, REPOSITORY, type WorkflowRun } from "./shapes.ts";

/** A call that a token may do if its job has this permission. */
interface GuardedRoute extends Route {
  readonly needs: readonly [scope: string, right: "read" | "write"];
}

/** Serves the part of GitHub's API that the examples call; gives its address. */
export function serveGitHub(records: Records, repository: Git): Promise<string> {
  const refuse = ({ method, path, headers }: Call, { needs: [scope, right] }: GuardedRoute): Refusal | undefined => {
    const token = (headers.authorization ?? "").replace("Bearer ", "");
    const granted = records.tokens.get(token)?.[scope];
    if (granted === "write" || granted === right) return undefined;
    records.refusals.push(`${method} ${path} needs ${scope}: ${right}`);
    return [403, "Resource not accessible by integration"];
  };
  const routes = [...repositoryRoutes(records, repository), ...actionRoutes(records), ...noteRoutes(records)];
  return serveApi({ host: "GitHub", base: `/repos/${REPOSITORY}/`, routes, refuse, pageSize: 30 });
}

type Refusal = readonly [status: number, words: string];

/** Its git, its pull requests and the statuses of its commits. */
function repositoryRoutes({ statuses, pulls, reviews }: Records, repository: Git): readonly GuardedRoute[] {
  return [
    {
      method: "GET",
      path: /^branches\/main$/,
      needs: ["contents", "read"],
      act: async () => ({ commit: { sha: await repository("rev-parse", "main") } }),
    },
    {
      method: "GET",
      path: /^git\/trees\/(\w+)$/,
      needs: ["contents", "read"],
      act: async ([sha = ""]) => {
        const lines = (await repository("ls-tree", sha)).split("\n");
        return { tree: lines.map((line) => ({ sha: line.split(/\s/)[2] ?? "", path: line.split("\t")[1] ?? "" })) };
      },
    },
    {
      method: "GET",
      path: /^commits\/(\w+)\/pulls$/,
      needs: ["pull-requests", "read"],
      act: ([sha]) =>
        pulls.filter(({ head, merge, others }) => [head, merge, ...others].includes(sha ?? "")).map(pullDocument),
    },
    {
      method: "GET",
      path: /^pulls\/(\d+)\/reviews$/,
      needs: ["pull-requests", "read"],
      act: ([number]) =>
        reviews
          .filter(({ pull }) => pull === Number(number))
          .map(({ state, user, commit, at }) => ({
            state,
            user: { login: loginOf(user) },
            commit_id: commit,
            submitted_at: at,
          })),
    },
    {
      method: "GET",
      path: /^collaborators\/([\w-]+)\/permission$/,
      needs: ["contents", "read"],
      act: ([login]) => {
        const review = reviews.find(({ user }) => loginOf(user) === login);
        return review && review.may !== "nothing" ? { permission: review.may ?? "write" } : undefined;
      },
    },
    {
      method: "GET",
      path: /^commits\/(\w+)\/statuses$/,
      needs: ["statuses", "read"],
      act: ([sha]) =>
        statuses
          .filter(({ place }) => place === sha)
          .map(({ state, context, description }) => ({ state, context, description }))
          .toReversed(),
    },
    {
      method: "POST",
      path: /^statuses\/(\w+)$/,
      needs: ["statuses", "write"],
      act: ([place = ""], call) => {
        const sent = sentIn(call);
        const [state, context] = [text(sent, "state"), text(sent, "context")];
        const description = optionalText(sent, "description") ?? "";
        statuses.push({ place, body: `${context}: ${state}`, state, context, description });
        return {};
      },
    },
  ];
}

function loginOf(user: number): string {
  return `reviewer-${user}`;
}

function pullDocument({ number, head, base, mergedAt, merge }: Pull): JsonObject {
  return {
    number,
    state: mergedAt === null ? "open" : "closed",
    head: { sha: head },
    base: { ref: base },
    merged_at: mergedAt,
    merge_commit_sha: merge,
  };
}

/** Runs of workflows, and what they kept. */
function actionRoutes({ artifacts, runs }: Records): readonly GuardedRoute[] {
  return [
    {
      method: "GET",
      path: /^actions\/artifacts$/,
      needs: ["actions", "read"],
      act: (_, { query }) => ({
        artifacts: artifacts
          .filter(({ name }) => name === query.get("name"))
          .map(({ id, createdAt, digest, run, isExpired }) => ({
            id,
            expired: isExpired,
            created_at: createdAt,
            digest,
            workflow_run: { id: run },
          })),
      }),
    },
    {
      method: "GET",
      path: /^actions\/artifacts\/(\d+)\/zip$/,
      needs: ["actions", "read"],
      act: ([number]) => artifacts.find(({ id, isExpired }) => id === Number(number) && !isExpired)?.zip,
    },
    {
      method: "GET",
      path: /^actions\/runs\/(\d+)$/,
      needs: ["actions", "read"],
      act: ([number]) => {
        const run = runs.find(({ id }) => id === Number(number));
        return run && runDocument(run);
      },
    },
    {
      method: "GET",
      path: /^actions\/runs\/(\d+)\/jobs$/,
      needs: ["actions", "read"],
      act: ([number]) => {
        const jobs = Object.values(runs.find(({ id }) => id === Number(number))?.jobs ?? {});
        return { jobs: jobs.map(({ completedAt }) => ({ completed_at: completedAt })) };
      },
    },
    {
      method: "GET",
      path: /^actions\/workflows\/([\w.-]+)\/runs$/,
      needs: ["actions", "read"],
      act: ([file = ""], { query }) => ({
        workflow_runs: runs
          .filter(({ path, event }) => path.endsWith(`/${file}`) && event.name === query.get("event"))
          .map(({ conclusion }) => ({ status: conclusion === null ? "waiting" : "completed" })),
      }),
    },
  ];
}

function runDocument({ path, event, conclusion, headBranch }: WorkflowRun): JsonObject {
  return { path, event: event.name, conclusion, head_branch: headBranch, repository: { full_name: REPOSITORY } };
}

/** Comments and issues. */
function noteRoutes({ comments, issues }: Records): readonly GuardedRoute[] {
  return [
    {
      method: "GET",
      path: /^issues\/(\d+)\/comments$/,
      needs: ["pull-requests", "read"],
      act: ([number]) =>
        comments.all
          .filter(({ place }) => place === number)
          .map(({ id, body, isForeign }) => ({
            id,
            body,
            user: { login: isForeign ? "mallory" : "github-actions[bot]" },
          })),
    },
    {
      method: "POST",
      path: /^issues\/(\d+)\/comments$/,
      needs: ["pull-requests", "write"],
      act: ([number = ""], call) => comments.add(number, text(sentIn(call), "body")),
    },
    {
      method: "PATCH",
      path: /^issues\/comments\/(\d+)$/,
      needs: ["pull-requests", "write"],
      act: ([number], call) => comments.rewrite(number, text(sentIn(call), "body")),
    },
    {
      method: "GET",
      path: /^issues$/,
      needs: ["issues", "read"],
      act: (_, { query }) => issues.find(query).map(({ id }) => ({ number: id })),
    },
    {
      method: "POST",
      path: /^issues$/,
      needs: ["issues", "write"],
      act: (_, call) => {
        const sent = sentIn(call);
        return issues.add(`${text(sent, "title")} [${texts(sent, "labels").join()}]`, text(sent, "body"));
      },
    },
    {
      method: "PATCH",
      path: /^issues\/(\d+)$/,
      needs: ["issues", "write"],
      act: ([number], call) => issues.rewrite(number, text(sentIn(call), "body")),
    },
  ];
}

function sentIn({ body }: Call): JsonObject {
  const sent: Json = JSON.parse(body || "{}");
  return isObject(sent) ? sent : {};
}
