import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readShipped } from "../support/ci/gitlab/configuration.ts";
import { type At, newBranch, type PartName, prepare, runPart } from "../support/ci/gitlab/parts.ts";
import { change, expectGuarded, guard, type Guard, type Row, type Undo } from "../support/ci/guards.ts";
import { NO_CI } from "../support/ci/place.ts";
import { addHostnames } from "../support/ci/story.ts";

const FOUND = { status: "success", approved: ["made-for.json", "plan.md", "plan.zfplan"] };

/** What the parts do where nobody tampers. */
const HONEST: Readonly<Record<PartName, object>> = {
  plan: { status: "success", notes: [expect.stringContaining("**There is no plan.**")] },
  "find the plan": FOUND,
  "apply what was reviewed": { status: "success" },
  "report drift": {
    status: "failed",
    code: 3,
    issues: [["The edge has drifted [zoneform-drift]", expect.stringMatching(/\n *1 hostname differs\n$/)]],
  },
};

const NOTHING = { status: "success", log: "", approved: [] };
const NO_PLAN = {
  status: "success",
  approved: [],
  log: expect.stringContaining("there is no plan of merge request 1 that"),
};
/** Before any plan. */
const EARLY = "2026-11-20T08:00:00Z";
const REFUSED = { status: "failed" };

const ROWS: readonly Row<PartName, At>[] = [
  // What is planned, and how it is shown.
  {
    threat: "the branch conflicts with main",
    part: "plan",
    tamper: async ({ place }) => {
      const branch = await newBranch(place, addHostnames("other.violin-academy.de"));
      const before = await place.host("rev-parse", "main");
      await place.host("update-ref", "refs/heads/main", branch);
      return () => place.host("update-ref", "refs/heads/main", before);
    },
    seen: { status: "failed", notes: [] },
  },
  {
    threat: "main has what the branch does not have",
    part: "plan",
    tamper: () => undefined,
    seen: { status: "success", project: expect.stringContaining("# edge\n") },
  },
  {
    threat: "the branch has a link in the place of the folder for the plan",
    part: "plan",
    tamper: async ({ place, pipeline }) =>
      change([pipeline], { sha: await newBranch(place, ({ git }) => symlink("edge", join(git.folder, "plan"))) }),
    seen: { status: "success", isWrittenElsewhere: false },
  },
  {
    threat: "somebody else has written a comment that begins as the plan does",
    part: "plan",
    tamper: ({ gitlab }) =>
      void gitlab.notes.push({ id: 1, place: "2", body: "<!-- zoneform plan --> theirs", isForeign: true }),
    seen: { notes: ["<!-- zoneform plan --> theirs", expect.stringContaining("There is no plan.")] },
  },
  {
    threat: "another job of the project has written a comment",
    part: "plan",
    tamper: ({ gitlab }) => void gitlab.notes.push({ id: 1, place: "2", body: "4 of 4 tests pass" }),
    seen: { notes: ["4 of 4 tests pass", expect.stringContaining("There is no plan.")] },
  },

  // An environment without its secret.
  ...(["plan", "find the plan", "apply what was reviewed", "report drift"] as const).map((part) => ({
    threat: `to ${part}, there is no address of the states`,
    part,
    tamper: ({ gitlab: { environments } }: At): Undo => {
      const before = { ...environments };
      for (const name of Object.keys(environments)) environments[name] = {};
      return () => Object.assign(environments, before);
    },
    seen: {
      status: "failed",
      log: expect.stringMatching(/ZONEFORM_STATE: is not a variable of the environment zoneform-[\w-]+$/m),
    },
  })),

  // Which merge request, approved when.
  {
    threat: "the merge request was closed without a merge",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { mergedAt: null }),
    seen: NOTHING,
  },
  {
    threat: "the merge request was merged into another branch",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { target: "release" }),
    seen: NOTHING,
  },
  {
    threat: "another merge request has the commit",
    part: "find the plan",
    tamper: ({ merged, open }) => change([merged], { merge: open.head, others: [merged.merge ?? ""] }),
    seen: NOTHING,
  },
  {
    threat: "the plan was made after the approval",
    part: "find the plan",
    tamper: ({ plan, place }) => change([plan], { finishedAt: place.tick() }),
    seen: NO_PLAN,
  },
  {
    threat: "one of two people approved before there was a plan",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { approvals: [...merged.approvals, { at: EARLY, level: 30 }] }),
    seen: NO_PLAN,
  },
  {
    threat: "nobody approved it, and the plan was made after the merge",
    part: "find the plan",
    tamper: ({ merged, plan, place }) => {
      change([merged], { approvals: [] });
      change([plan], { finishedAt: place.tick() });
    },
    seen: NO_PLAN,
  },
  {
    threat: "the plan was made again after the approval",
    part: "find the plan",
    tamper: ({ planned, plan, place }) => {
      planned.retried.push(plan);
      const [startedAt, finishedAt] = [place.tick(), place.tick()];
      const again = { ...plan, id: plan.id + 1000, startedAt, finishedAt, artifacts: {} };
      change([planned], { jobs: { ...planned.jobs, plan: again } });
    },
    seen: FOUND,
  },
  {
    threat: "a newer plan was begun before the last approval, and its job was cancelled once it was shown",
    part: "find the plan",
    tamper: ({ planned, plan }) => {
      planned.retried.push(plan);
      const again = { ...plan, id: plan.id + 1000, status: "failed", artifacts: {} } as const;
      change([planned], { jobs: { ...planned.jobs, plan: again } });
    },
    seen: NO_PLAN,
  },
  {
    threat: "another job of its pipeline ran after the plan",
    part: "find the plan",
    tamper: ({ planned, plan }) => {
      const other = { ...plan, id: plan.id + 1000, name: "other", artifacts: {} };
      change([planned], { jobs: { ...planned.jobs, other } });
    },
    seen: FOUND,
  },
  {
    threat: "a stranger approved before there was a plan",
    part: "find the plan",
    tamper: ({ merged }) => {
      const strangers = [{ at: EARLY, level: 20 }, { at: EARLY }];
      change([merged], { approvals: [...merged.approvals, ...strangers] });
    },
    seen: FOUND,
  },
  {
    threat: "GitLab does not say when it was approved",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { approvals: [{ level: 30 }] }),
    seen: NO_PLAN,
  },
  {
    threat: "the job is started again once it has ended well",
    part: "find the plan",
    tamper: ({ pipeline, plan }) => change([pipeline], { retried: [{ ...plan, name: "apply" }] }),
    seen: NOTHING,
  },
  {
    threat: "the job is started again once apply-reviewed has ended well",
    part: "find the plan",
    tamper: ({ pipeline, plan }) =>
      change([pipeline], { jobs: { "apply-reviewed": { ...plan, name: "apply-reviewed" } } }),
    seen: NOTHING,
  },
  {
    threat: "somebody starts a pipeline on the web",
    part: "find the plan",
    tamper: ({ pipeline }) => change([pipeline], { source: "web" }),
    seen: NOTHING,
  },

  // Which plan.
  {
    threat: "another commit was planned",
    part: "find the plan",
    tamper: ({ planned, open }) => change([planned], { sha: open.head }),
    seen: NO_PLAN,
  },
  {
    threat: "the pipeline ran in a fork",
    part: "find the plan",
    tamper: ({ planned }) => change([planned], { projectId: "77" }),
    seen: NO_PLAN,
  },
  {
    threat: "the pipeline was not one of the merge request",
    part: "find the plan",
    tamper: ({ planned }) => change([planned], { source: "web" }),
    seen: NO_PLAN,
  },
  {
    threat: "another job of the pipeline of the plan has failed",
    part: "find the plan",
    tamper: ({ planned, plan }) =>
      change([planned], { jobs: { validate: { ...plan, name: "validate", status: "failed" }, plan } }),
    seen: NO_PLAN,
  },
  {
    threat: "the plan was made for another commit",
    part: "find the plan",
    tamper: (at) => rewrite(at, "made-for.json", at.merged.head, "0".repeat(40)),
    seen: REFUSED,
  },
  {
    threat: "the plan was made for another merge request",
    part: "find the plan",
    tamper: (at) => rewrite(at, "made-for.json", '"merge_request": 1', '"merge_request": 2'),
    seen: REFUSED,
  },
  {
    threat: "the plan was exchanged",
    part: "find the plan",
    tamper: (at) => rewrite(at, "plan.zfplan", /^/, " "),
    seen: { ...REFUSED, log: expect.stringContaining("approved/plan.zfplan: FAILED") },
  },
  {
    threat: "the plan was made for another main",
    part: "find the plan",
    tamper: (at) => rewrite(at, "made-for.json", /"tree": "\w+"/, '"tree": ""'),
    seen: { ...FOUND, log: expect.stringContaining("another merge came in between") },
  },

  // From one job to the next.
  {
    threat: "the job before has applied its plan",
    part: "apply what was reviewed",
    tamper: ({ pipeline, plan }) => change([pipeline], { jobs: { apply: { ...plan, dotenv: {} } } }),
    seen: { status: "failed", log: expect.stringContaining("the job apply has applied its plan") },
  },
  {
    threat: "the plan between the jobs was exchanged",
    part: "apply what was reviewed",
    tamper: ({ pipeline, plan }) =>
      change([pipeline], { jobs: { apply: { ...plan, dotenv: { ZONEFORM_PLAN_SHA256: "0".repeat(64) } } } }),
    seen: { status: "failed", log: expect.stringContaining("plan/plan.zfplan: FAILED") },
  },

  {
    threat: "the plan between the jobs was applied before",
    part: "apply what was reviewed",
    tamper: ({ pipeline, plan }) =>
      change([pipeline], { retried: [{ ...plan, id: plan.id + 1000, name: "apply-reviewed" }] }),
    seen: { status: "failed", log: expect.stringContaining("this plan was applied: start the job apply again") },
  },
  {
    threat: "a change is held",
    part: "apply what was reviewed",
    tamper: ({ applied }) => void Object.assign(applied, { held: 1 }),
    seen: { status: "failed", code: 75 },
  },
  {
    threat: "a change is held in part",
    part: "apply what was reviewed",
    tamper: ({ applied }) => void Object.assign(applied, { held_in_part: 1 }),
    seen: { status: "failed", code: 75 },
  },

  // The issue about drift.
  {
    threat: "the job could not look",
    part: "report drift",
    tamper: ({ drift }) => void Object.assign(drift, { code: 1 }),
    seen: { status: "failed", code: 1, issues: [] },
  },
  {
    threat: "what is live mentions somebody, and draws an image",
    part: "report drift",
    tamper: ({ drift }) => void Object.assign(drift, { text: "```\n@everybody\n\n![](https://x.example)\n" }),
    seen: {
      issues: [
        [
          expect.any(String),
          expect.stringMatching(/^[^\n]*\n\n {4}```\n {4}@everybody\n {4}\n {4}!\[\]\(https:\/\/x\.example\)\n$/),
        ],
      ],
    },
  },
  {
    threat: "more has drifted than an issue can hold",
    part: "report drift",
    tamper: ({ drift }) => void Object.assign(drift, { text: `${"x".repeat(999)}\n`.repeat(1100) }),
    seen: { code: 3, issues: [[expect.any(String), expect.stringMatching(/x\n$/)]] },
  },
  {
    threat: "there are other issues, and one about drift that is closed",
    part: "report drift",
    tamper: ({ gitlab }) =>
      void gitlab.issues.push(
        { id: 1, place: "The edge has drifted [zoneform-drift]", body: "once", isClosed: true },
        { id: 2, place: "A question [help]", body: "what?" },
      ),
    seen: {
      issues: [
        [expect.any(String), "once"],
        [expect.any(String), "what?"],
        [expect.any(String), expect.stringContaining("1 hostname differs")],
      ],
    },
  },
];

/** What answers each threat; some are answered twice. */
const GUARDS: readonly Guard[] = [
  {
    threat: "the branch conflicts with main",
    edits: [['tree=$(git merge-tree --write-tree FETCH_HEAD "$CI_COMMIT_SHA")', "tree=$CI_COMMIT_SHA"]],
  },
  {
    threat: "main has what the branch does not have",
    edits: [['tree=$(git merge-tree --write-tree FETCH_HEAD "$CI_COMMIT_SHA")', "tree=$CI_COMMIT_SHA"]],
  },
  {
    threat: "main has what the branch does not have",
    edits: [['git restore --source="$tree" --staged --worktree -- edge', "echo"]],
  },
  {
    threat: "the branch has a link in the place of the folder for the plan",
    edits: [["rm -rf plan && mkdir plan", "mkdir -p plan"]],
  },
  guard("somebody else has written a comment that begins as the plan does", ".author.id == $me and "),
  guard("another job of the project has written a comment", ' and (.body | startswith("<!-- zoneform plan -->"))'),
  ...(
    [
      ["plan", "zoneform-plan"],
      ["find the plan", "zoneform-apply"],
      ["apply what was reviewed", "zoneform-apply-reviewed"],
      ["report drift", "zoneform-plan"],
    ] as const
  ).map(([part, environment]) => ({
    threat: `to ${part}, there is no address of the states`,
    edits: [[`': "\${ZONEFORM_STATE:?is not a variable of the environment ${environment}}"'`, "echo"]] as const,
  })),
  guard("the merge request was closed without a merge", '.state == "merged" and '),
  guard("the merge request was merged into another branch", ".target_branch == env.CI_DEFAULT_BRANCH\n          and "),
  guard(
    "another merge request has the commit",
    "\n          and ([.merge_commit_sha, .squash_commit_sha, .sha] | index(env.SHA))",
  ),
  guard("the plan was made after the approval", " and .finished_at <= env.FIRST"),
  guard("another job of its pipeline ran after the plan", '.name == "plan" and '),
  {
    threat: "one of two people approved before there was a plan",
    edits: [["FIRST=$(sed -n 1p", "FIRST=$(sed -n '$p'"]],
  },
  {
    threat: "nobody approved it, and the plan was made after the merge",
    edits: [['FIRST="${FIRST:-$MERGED}" LAST="${LAST:-$MERGED}"', 'FIRST="${FIRST:-9}" LAST="${LAST:-9}"']],
  },
  guard("the plan was made again after the approval", " and .started_at <= env.LAST"),
  {
    threat: "the plan was made again after the approval",
    edits: [['/jobs?include_retried=true&per_page=100"\n        done', '/jobs?per_page=100"\n        done']],
  },
  guard(
    "a newer plan was begun before the last approval, and its job was cancelled once it was shown",
    '.status == "success" and .pipeline.status == "success" and ',
  ),
  { threat: "a stranger approved before there was a plan", edits: [['"$level" -ge 30', '"$level" -ge 0']] },
  guard("GitLab does not say when it was approved", " // 0"),
  {
    threat: "the job is started again once it has ended well",
    edits: [["scope[]=success&include_retried=true", "scope[]=success"]],
  },
  guard("the job is started again once apply-reviewed has ended well", ' or .name == "apply-reviewed"'),
  guard("somebody starts a pipeline on the web", ' || [ "$CI_PIPELINE_SOURCE" = web ]'),
  guard("another commit was planned", " and .sha == env.HEAD"),
  guard("the pipeline ran in a fork", " and .project_id == (env.CI_PROJECT_ID | tonumber)"),
  guard("the pipeline was not one of the merge request", '.source == "merge_request_event" and '),
  guard("another job of the pipeline of the plan has failed", ' and .pipeline.status == "success"'),
  guard("the plan was made for another commit", ".head == env.HEAD and "),
  guard("the plan was made for another merge request", " and .merge_request == (env.NUMBER | tonumber)"),
  guard(
    "the plan was exchanged",
    'echo "$(jq --raw-output .sha256 ../approved/made-for.json)  ../approved/plan.zfplan" | sha256sum --check --quiet',
  ),
  {
    threat: "the plan was made for another main",
    edits: [
      [
        'if [ "$(jq --raw-output .tree ../approved/made-for.json)" != "$(git rev-parse HEAD:edge)" ]; then',
        "if false; then",
      ],
    ],
  },
  {
    threat: "the job before has applied its plan",
    edits: [[`': "\${ZONEFORM_PLAN_SHA256:?is not set: the job apply has applied its plan}"'`, "echo"]],
  },
  {
    threat: "the plan between the jobs was exchanged",
    edits: [['echo "$ZONEFORM_PLAN_SHA256  plan/plan.zfplan" | sha256sum --check --quiet', "echo"]],
  },
  {
    threat: "the plan between the jobs was applied before",
    edits: [['if [ "$last" = apply-reviewed ]; then', "if false; then"]],
  },
  guard("a change is held", ".held + "),
  guard("a change is held in part", " + .held_in_part"),
  { threat: "the job could not look", edits: [['if [ "$code" = 3 ]; then', "if true; then"]] },
  guard("what is live mentions somebody, and draws an image", '"    " '),
  guard("more has drifted than an issue can hold", "size < 500000 "),
  guard("there are other issues, and one about drift that is closed", "state=opened&"),
  guard("there are other issues, and one about drift that is closed", "&labels=zoneform-drift"),
];

describe.skipIf(NO_CI)(`the jobs for GitLab${NO_CI ?? ""}`, () => {
  test("notice what somebody tampers with, each because of the lines that say so", async () => {
    const prepared = await prepare();
    const shipped = await readShipped();
    await expectGuarded<PartName, At>({
      rows: ROWS,
      honest: HONEST,
      guards: GUARDS,
      sourceOf: () => shipped,
      run: (part, source, tamper) => runPart(prepared, part, { source, tamper }),
    });
  });
});

/** Changes a file that the plan has kept. */
function rewrite({ plan }: At, file: string, from: string | RegExp, to: string): void {
  const path = `plan/${file}`;
  const before = plan.artifacts[path] ?? "";
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${String(from)} is not in ${before}`);
  change([plan], { artifacts: { ...plan.artifacts, [path]: after } });
}
