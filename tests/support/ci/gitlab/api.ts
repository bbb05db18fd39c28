import type { JsonObject } from "../../../../lib/core/json.ts";
import { type Call, type Route, serveApi } from "../api-server.ts";
import type { Records } from "./records.ts";
import { type MergeRequest, type Pipeline, PROJECT_ID } from "./shapes.ts";

/** The token that the API takes, and the id of whose it is. */
export const TOKEN = "glpat-of-the-tests-0123456789";
const BOT = 7;

const BASE = "/api/v4";

/** Serves the part of GitLab's API that the examples call; gives its address. */
export async function serveGitLab(records: Records): Promise<string> {
  const address = await serveApi({
    host: "GitLab",
    base: `${BASE}/`,
    routes: [...requestRoutes(records), ...pipelineRoutes(records), ...noteRoutes(records)],
    refuse: ({ headers }) => (headers["private-token"] === TOKEN ? undefined : [401, "401 Unauthorized"]),
  });
  return `${address}${BASE}`;
}

/** Merge requests and their approvals. */
function requestRoutes({ requests }: Records): readonly Route[] {
  return [
    {
      method: "GET",
      path: /^projects\/42\/repository\/commits\/(\w+)\/merge_requests$/,
      act: ([sha]) =>
        requests.filter(({ head, merge, others }) => [head, merge, ...others].includes(sha ?? "")).map(requestDocument),
    },
    {
      method: "GET",
      path: /^projects\/42\/merge_requests\/(\d+)\/approvals$/,
      act: ([iid]) => {
        const given = requests.find((each) => each.iid === Number(iid))?.approvals ?? [];
        return {
          approved_by: given.map(({ at }, index) => ({ user: { id: index + 1 }, ...(at ? { approved_at: at } : {}) })),
        };
      },
    },
    {
      method: "GET",
      path: /^projects\/42\/members\/all\/(\d+)$/,
      act: ([user]) => {
        const level = requests.findLast(({ mergedAt }) => mergedAt !== null)?.approvals[Number(user) - 1]?.level;
        return level === undefined ? undefined : { access_level: level };
      },
    },
  ];
}

function requestDocument({ iid, head, target, merge, mergedAt }: MergeRequest): JsonObject {
  return {
    iid,
    state: mergedAt === null ? "opened" : "merged",
    target_branch: target,
    sha: head,
    merge_commit_sha: merge,
    squash_commit_sha: null,
    merged_at: mergedAt,
  };
}

/** Pipelines, their jobs, and what these kept. */
function pipelineRoutes({ pipelines }: Records): readonly Route[] {
  return [
    {
      method: "GET",
      path: /^projects\/42\/merge_requests\/(\d+)\/pipelines$/,
      act: ([iid]) => pipelines.filter(({ mergeRequest }) => mergeRequest?.iid === Number(iid)).map(pipelineDocument),
    },
    {
      method: "GET",
      path: /^projects\/42\/pipelines\/(\d+)\/jobs$/,
      act: ([number], { query }) => {
        const found = pipelines.find(({ id, projectId }) => id === Number(number) && projectId === PROJECT_ID);
        if (!found) return undefined;
        return [...Object.values(found.jobs), ...(query.has("include_retried") ? found.retried : [])]
          .filter(({ status }) => (query.get("scope[]") ?? status) === status)
          .map(({ id, name, status, startedAt, finishedAt }) => ({
            id,
            name,
            status,
            started_at: startedAt || null,
            finished_at: finishedAt || null,
            pipeline: { status: statusOf(found) },
          }));
      },
    },
    {
      method: "GET",
      path: /^projects\/42\/jobs\/(\d+)\/artifacts\/(.+)$/,
      act: ([number, path = ""]) => {
        const jobs = pipelines.flatMap((each) => [...Object.values(each.jobs), ...each.retried]);
        const file = jobs.find(({ id }) => id === Number(number))?.artifacts[path];
        return file === undefined ? undefined : Buffer.from(file);
      },
    },
  ];
}

function pipelineDocument({ id, source, sha, projectId }: Pipeline): JsonObject {
  return { id, source, sha, project_id: Number(projectId) };
}

function statusOf({ jobs }: Pick<Pipeline, "jobs">): string {
  const statuses = Object.values(jobs).map(({ status }) => status);
  return statuses.includes("failed") ? "failed" : statuses.includes("manual") ? "manual" : "success";
}

/** Comments and issues, and who the token's bot is. */
function noteRoutes({ notes, issues }: Records): readonly Route[] {
  return [
    { method: "GET", path: /^user$/, act: () => ({ id: BOT }) },
    {
      method: "GET",
      path: /^projects\/42\/merge_requests\/(\d+)\/notes$/,
      act: ([iid]) =>
        notes.all
          .filter(({ place }) => place === iid)
          .map(({ id, body, isForeign }) => ({ id, author: { id: isForeign ? 1 : BOT }, body })),
    },
    {
      method: "POST",
      path: /^projects\/42\/merge_requests\/(\d+)\/notes$/,
      act: ([iid = ""], call) => notes.add(iid, sentIn(call, "body")),
    },
    {
      method: "PUT",
      path: /^projects\/42\/merge_requests\/\d+\/notes\/(\d+)$/,
      act: ([number], call) => notes.rewrite(number, sentIn(call, "body")),
    },
    {
      method: "GET",
      path: /^projects\/42\/issues$/,
      act: (_, { query }) => issues.find(query).map(({ id }) => ({ iid: id })),
    },
    {
      method: "POST",
      path: /^projects\/42\/issues$/,
      act: (_, call) => issues.add(`${sentIn(call, "title")} [${sentIn(call, "labels")}]`, sentIn(call, "description")),
    },
    {
      method: "PUT",
      path: /^projects\/42\/issues\/(\d+)$/,
      act: ([number], call) => issues.rewrite(number, sentIn(call, "description")),
    },
  ];
}

function sentIn({ body }: Call, field: string): string {
  return new URLSearchParams(body).get(field) ?? "";
}
