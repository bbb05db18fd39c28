import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { object } from "../../lib/core/decode.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import {
  type At,
  type PartName,
  PARTS,
  prepare,
  type Prepared,
  pushOf,
  reportOf,
  runPart,
  writeAll,
  zipped,
} from "../support/ci/github/parts.ts";
import { MAIN, type Pull, type Review } from "../support/ci/github/shapes.ts";
import { change, expectGuarded, guard, type Guard, type Row, type Undo } from "../support/ci/guards.ts";
import { NO_CI, type Place } from "../support/ci/place.ts";

/** What the parts do where nobody tampers; those that are left out run Zoneform. */
const HONEST: Readonly<Partial<Record<PartName, object>>> = {
  "find the pull request": { status: "success", outputs: { pull: { number: "2" } } },
  "install for the plan": { codes: { "Install Zoneform": 0 } },
  "check out the pull request": { codes: { "Record what the plan was made for": 0 } },
  "show the plan": {
    status: "success",
    comments: [expect.stringContaining("## Plan\n")],
    artifacts: [expect.any(String)],
  },
  "set the status": { statuses: ["zoneform plan: success"] },
  "look at main, to decide": { status: "success", outputs: { main: {} } },
  "look at main, to apply": { status: "success" },
  "find the plan": {
    status: "success",
    outputs: { approved: { found: "true" } },
    approved: ["made-for.json", "plan.md", "plan.zfplan"],
  },
  "go on": { status: "success", outputs: { resume: {} } },
  "take over": { status: "success" },
  begin: { statuses: ["zoneform apply: pending"] },
  end: { statuses: ["zoneform apply: success"] },
  "report drift": {
    issues: [["The edge has drifted [zoneform-drift]", expect.stringMatching(/\n *1 hostname differs\n$/)]],
  },
};

const NOT_FOUND = { status: "success", outputs: { approved: expect.not.objectContaining({ found: "true" }) } };
const NO_PLAN = {
  ...NOT_FOUND,
  log: expect.stringContaining("there is no plan of pull request 1 that was made before"),
};
const NOT_SEEN = { ...NOT_FOUND, log: expect.stringContaining("not everybody who approved pull request 1 could see") };
const NO_PULL = { ...NOT_FOUND, log: expect.stringContaining("no pull request made") };
const NOT_APPROVED = { ...NOT_FOUND, log: expect.stringContaining("has no approval of a person with write access") };
const NOT_TRUSTED = { ...NOT_FOUND, log: expect.stringContaining("was not made by the trusted job") };
const NO_SECRET = {
  status: "failure",
  log: expect.stringMatching(/ZONEFORM_STATE: is not a secret of (?:the environment zoneform-plan|this environment)$/m),
};
const SKIPPED = { status: "skipped", ran: [] };
const MOVED_ON = { status: "failure", log: expect.stringContaining("main has moved on") };

const ROWS: readonly Row<PartName, At>[] = [
  // Who may have a plan, and for what.
  {
    threat: "a workflow of a branch, called as the one that validates, runs on a push",
    part: "find the pull request",
    tamper: (at) => ended(at, { event: "push" }),
    seen: SKIPPED,
  },
  {
    threat: "the YAML was not found valid",
    part: "find the pull request",
    tamper: (at) => ended(at, { conclusion: "failure" }),
    seen: SKIPPED,
  },
  {
    threat: "the pull request comes from a fork",
    part: "find the pull request",
    tamper: (at) => ended(at, { head_repository: { full_name: "mallory/edge" } }),
    seen: SKIPPED,
  },
  {
    threat: "the pull request was closed",
    part: "find the pull request",
    tamper: ({ github, place }) => change(github.pulls, { mergedAt: place.tick() }),
    seen: { status: "failure", log: expect.stringContaining("no open pull request ends with this commit") },
  },
  {
    threat: "a newer commit was pushed",
    part: "find the pull request",
    tamper: ({ github, merged }) => {
      const others = github.pulls.slice(-1).map(({ head }) => head);
      change(github.pulls, { head: merged.head, others });
    },
    seen: { status: "failure", log: expect.stringContaining("no open pull request ends with this commit") },
  },
  {
    threat: "the pull request goes to another branch",
    part: "find the pull request",
    tamper: ({ github }) => change(github.pulls, { base: "release" }),
    seen: { status: "failure", log: expect.stringContaining("no open pull request ends with this commit") },
  },
  {
    threat: "the pull request brings a Zoneform of its own",
    part: "install for the plan",
    tamper: ({ place }) => replaceMerge(place, { ".github/zoneform/package-lock.json": "{}" }),
    seen: { codes: { "Install Zoneform": 0 } },
  },
  {
    threat: "the merge that GitHub has made is one of another commit",
    part: "check out the pull request",
    tamper: ({ place, merged }) => move(place, "refs/pull/2/merge", merged.merge ?? ""),
    seen: { status: "failure", log: expect.stringContaining("GitHub has not merged this commit into main") },
  },

  // What is shown, and what counts as shown.
  {
    threat: "somebody else has written a comment that begins as the plan does",
    part: "show the plan",
    tamper: ({ github }) =>
      void github.comments.push({ id: 1, place: "2", body: "<!-- zoneform plan --> theirs", isForeign: true }),
    seen: { comments: ["<!-- zoneform plan --> theirs", expect.stringContaining("## Plan\n")] },
  },
  {
    threat: "another job of the repository has written a comment",
    part: "show the plan",
    tamper: ({ github }) => void github.comments.push({ id: 1, place: "2", body: "4 of 4 tests pass" }),
    seen: { comments: ["4 of 4 tests pass", expect.stringContaining("## Plan\n")] },
  },
  {
    threat: "a job of a branch is going to rewrite the comment",
    part: "show the plan",
    tamper: () => undefined,
    seen: { summary: expect.stringContaining("## Plan\n") },
  },
  {
    threat: "there is no plan",
    part: "set the status",
    tamper: ({ excerpt }) => void (excerpt.hasFailed = true),
    seen: { statuses: ["zoneform plan: failure"] },
  },

  // An environment without its secret.
  ...(["plan", "plan again", "plan anew", "apply"] as const).map((part) => ({
    threat: `to ${part}, there is no address of the states`,
    part,
    tamper: withoutSecrets,
    seen: NO_SECRET,
  })),
  {
    threat: "to look for drift, there is no address of the states",
    part: "look for drift",
    tamper: withoutSecrets,
    seen: { ...NO_SECRET, ran: ["Look for drift"] },
  },

  // A ref that is not main.
  ...(
    [
      ["somebody starts the apply on a branch", "find the plan"],
      ["somebody looks for drift on a branch", "look for drift"],
    ] as const
  ).map(([threat, part]) => ({
    threat,
    part,
    tamper: ({ excerpt }: At): void => {
      excerpt.event = { ...excerpt.event, ref: "refs/heads/theirs" };
    },
    seen: SKIPPED,
  })),

  // An old run.
  {
    threat: "main has moved on before a merge is decided about",
    part: "look at main, to decide",
    tamper: moveMain,
    seen: { status: "success", outputs: { main: { moved: "true" } } },
  },
  {
    threat: "main has moved on, and its newest commit has a run of its own",
    part: "plan anew",
    tamper: ({ excerpt }) => void (excerpt.outputs["main"] = { moved: "true" }),
    seen: {
      status: "success",
      outputs: { new: {} },
      log: expect.stringContaining("main has moved on: the run of its"),
    },
  },
  ...(["look at main, to decide", "look at main, to apply"] as const).flatMap((part) => [
    {
      threat: `${part}: an old run is started again`,
      part,
      tamper: (at: At): Promise<Undo> => {
        at.excerpt.attempt = 2;
        return moveMain(at);
      },
      seen: MOVED_ON,
    },
    {
      threat: `${part}: the run of the hour is late`,
      part,
      tamper: (at: At): Promise<Undo> => {
        at.excerpt.event = { ...at.excerpt.event, name: "schedule" };
        return moveMain(at);
      },
      seen: MOVED_ON,
    },
  ]),

  // Which pull request, approved by whom.
  {
    threat: "the pull request was closed without a merge",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { mergedAt: null }),
    seen: NO_PULL,
  },
  {
    threat: "another pull request has the commit",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { merge: merged.head, others: [merged.merge ?? ""] }),
    seen: NO_PULL,
  },
  {
    threat: "the pull request was merged into another branch",
    part: "find the plan",
    tamper: ({ merged }) => change([merged], { base: "release" }),
    seen: NO_PULL,
  },
  {
    threat: "somebody commented, and did not approve",
    part: "find the plan",
    tamper: ({ github }) => change(github.reviews, { state: "COMMENTED" }),
    seen: NOT_APPROVED,
  },
  {
    threat: "somebody approved, and then requested changes",
    part: "find the plan",
    tamper: ({ github, merged, place }) =>
      void github.reviews.push({ ...approval(merged, { user: 1 }), state: "CHANGES_REQUESTED", at: place.tick() }),
    seen: NOT_APPROVED,
  },
  {
    threat: "somebody approved twice, and the last approval was dismissed",
    part: "find the plan",
    tamper: ({ github, merged, place }) =>
      void github.reviews.push({ ...approval(merged, { user: 1 }), state: "DISMISSED", at: place.tick() }),
    seen: NOT_APPROVED,
  },
  {
    threat: "somebody approved, and then commented",
    part: "find the plan",
    tamper: ({ github, merged, place }) =>
      void github.reviews.push({ ...approval(merged, { user: 1 }), state: "COMMENTED", at: place.tick() }),
    seen: HONEST["find the plan"] ?? {},
  },
  {
    threat: "an older commit was approved",
    part: "find the plan",
    tamper: ({ github }) => change(github.reviews, { commit: "0".repeat(40) }),
    seen: NOT_APPROVED,
  },
  {
    threat: "one of two reviewers approved before there was a plan",
    part: "find the plan",
    tamper: ({ github, merged }) => void github.reviews.push(approval(merged, { user: 2 })),
    seen: NOT_SEEN,
  },
  {
    threat: "a stranger approved before there was a plan",
    part: "find the plan",
    tamper: ({ github, merged }) => {
      for (const [user, may] of [
        [2, "read"],
        [3, "nothing"],
      ] as const)
        github.reviews.push({ ...approval(merged, { user }), may });
    },
    seen: HONEST["find the plan"] ?? {},
  },
  {
    threat: "a newer plan was kept before the last approval, and its run was cancelled once it was shown",
    part: "find the plan",
    tamper: ({ github, merged, place }) => {
      const [kept] = github.artifacts.slice(-1);
      const [run] = github.runs.slice(-1);
      if (!kept || !run) throw new Error("there is no plan");
      github.artifacts.push({ ...kept, id: kept.id + 1000, run: run.id + 1000, createdAt: place.tick() });
      github.runs.push({ ...run, id: run.id + 1000, conclusion: "cancelled" });
      github.reviews.push({ ...approval(merged, { user: 2 }), at: place.tick() });
    },
    seen: NOT_TRUSTED,
  },
  {
    threat: "a reviewer approved while the plan was kept and not yet shown",
    part: "find the plan",
    tamper: ({ github, place }) => {
      const [run] = github.runs.slice(-1);
      const { plan } = run?.jobs ?? {};
      if (!plan) throw new Error("there is no plan");
      change(github.runs, { jobs: { plan: { ...plan, completedAt: place.tick() } } });
    },
    seen: NOT_SEEN,
  },
  {
    threat: "the merge was applied before",
    part: "find the plan",
    tamper: (at) => said(at, "success", "zoneform apply"),
    seen: { ...NOT_FOUND, log: expect.stringContaining("pull request 1 was applied, so further changes need") },
  },
  ...(
    [
      ["the merge was applied before, and other checks have said much since", "find the plan"],
      ["the job is started again once it has ended well, and other checks have said much since", "begin"],
    ] as const
  ).map(([threat, part]) => ({
    threat,
    part,
    tamper: (at: At): void => {
      said(at, "success", "zoneform apply");
      for (let count = 0; count < 31; count += 1) said(at, "pending", "another check");
    },
    seen: { log: expect.stringMatching(/was applied, so further changes need|start the workflow by hand/) },
  })),
  {
    threat: "a reviewer approved before there was a plan, and again once there was one",
    part: "find the plan",
    tamper: ({ github, merged }) => void github.reviews.push(approval(merged, { user: 1 })),
    seen: HONEST["find the plan"] ?? {},
  },

  // Which plan.
  {
    threat: "the plan was made after the approval",
    part: "find the plan",
    tamper: ({ github, place }) => change(github.artifacts, { createdAt: place.tick() }),
    seen: NO_PLAN,
  },
  {
    threat: "the plan has expired",
    part: "find the plan",
    tamper: ({ github }) => change(github.artifacts, { isExpired: true }),
    seen: NO_PLAN,
  },
  {
    threat: "another workflow has kept a plan",
    part: "find the plan",
    tamper: ({ github }) => change(github.runs, { path: ".github/workflows/zoneform-fake.yml" }),
    seen: NOT_TRUSTED,
  },
  {
    threat: "the workflow of a plan was started by something else",
    part: "find the plan",
    tamper: ({ github }) => change(github.runs, { event: { ...pushOf(""), name: "workflow_dispatch" } }),
    seen: NOT_TRUSTED,
  },
  {
    threat: "the run of a plan has failed",
    part: "find the plan",
    tamper: ({ github }) => change(github.runs, { conclusion: "failure" }),
    seen: NOT_TRUSTED,
  },
  {
    threat: "the run of a plan was one of a branch",
    part: "find the plan",
    tamper: ({ github }) => change(github.runs, { headBranch: "theirs" }),
    seen: NOT_TRUSTED,
  },
  {
    threat: "the archive of the plan was exchanged",
    part: "find the plan",
    tamper: ({ github }) => change(github.artifacts, { digest: `sha256:${"0".repeat(64)}` }),
    seen: { status: "failure", log: expect.stringContaining("plan.zip: FAILED") },
  },
  {
    threat: "the archive has more than a plan",
    part: "find the plan",
    tamper: (at) => archive(at, { more: "#!/bin/sh\n" }),
    seen: HONEST["find the plan"] ?? {},
  },
  {
    threat: "the plan was made for another commit",
    part: "find the plan",
    tamper: (at) => archive(at, { "made-for.json": replaced(at.kept, at.merged.head, "0".repeat(40)) }),
    seen: { status: "failure", outputs: NOT_FOUND.outputs },
  },
  {
    threat: "the plan was made for another pull request",
    part: "find the plan",
    tamper: (at) => archive(at, { "made-for.json": replaced(at.kept, '"pull_request": 1', '"pull_request": 2') }),
    seen: { status: "failure", outputs: NOT_FOUND.outputs },
  },
  {
    threat: "the plan was made for another main",
    part: "find the plan",
    tamper: (at) => archive(at, { "made-for.json": replaced(at.kept, /"tree": "\w+"/, '"tree": ""') }),
    seen: { ...HONEST["find the plan"], log: expect.stringContaining("another merge came in between") },
  },

  // What the run of an hour goes on with.
  {
    threat: "somebody started the apply by hand, and it waits",
    part: "go on",
    tamper: ({ github }) =>
      change(github.runs, {
        path: ".github/workflows/zoneform-apply.yml",
        event: { ...pushOf(""), name: "workflow_dispatch" },
        conclusion: null,
      }),
    seen: { outputs: { resume: { nothing: "true" } }, log: expect.stringContaining("another run is under way") },
  },
  {
    threat: "another check of the merge has ended well",
    part: "go on",
    tamper: (at) => said(at, "success", "tests"),
    seen: { outputs: { resume: expect.not.objectContaining({ nothing: "true" }) } },
  },
  {
    threat: "the merge was applied",
    part: "go on",
    tamper: (at) => said(at, "success", "zoneform apply"),
    seen: { outputs: { resume: { nothing: "true" } } },
  },
  {
    threat: "a reviewer was asked, and has rejected it",
    part: "go on",
    tamper: (at) => said(at, "pending", "zoneform apply", "a reviewer is asked"),
    seen: { outputs: { resume: { nothing: "true" } } },
  },

  // From one job to the next.
  {
    threat: "the plan between the jobs was exchanged",
    part: "take over",
    tamper: async ({ github }) => change(github.artifacts.slice(0, 1), await zipped({ "plan.zfplan": "another\n" })),
    seen: { status: "failure", log: expect.stringContaining("plan.zfplan: FAILED") },
  },
  {
    threat: "a change is held",
    part: "end",
    tamper: ({ excerpt }) => writeFile(join(excerpt.temp, "applied.json"), reportOf({ held: 1, held_in_part: 0 })),
    seen: { status: "success", statuses: [] },
  },
  {
    threat: "a change is held in part",
    part: "end",
    tamper: ({ excerpt }) => writeFile(join(excerpt.temp, "applied.json"), reportOf({ held: 0, held_in_part: 1 })),
    seen: { status: "success", statuses: [] },
  },

  {
    threat: "the job is started again once it has ended well",
    part: "begin",
    tamper: (at) => said(at, "success", "zoneform apply"),
    seen: {
      status: "failure",
      statuses: [],
      log: expect.stringContaining("start the workflow by hand for a new plan"),
    },
  },

  // The issue about drift.
  {
    threat: "what is live mentions somebody, and draws an image",
    part: "report drift",
    tamper: ({ excerpt }) => writeFile(join(excerpt.temp, "drift.txt"), "```\n@everybody\n\n![](https://x.example)\n"),
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
    tamper: ({ excerpt }) => writeFile(join(excerpt.temp, "drift.txt"), `${"x".repeat(99)}\n`.repeat(1000)),
    seen: { issues: [[expect.any(String), expect.stringMatching(/x\n$/)]] },
  },
  {
    threat: "there are other issues, and one about drift that is closed",
    part: "report drift",
    tamper: ({ github }) =>
      void github.issues.push(
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
  guard(
    "a workflow of a branch, called as the one that validates, runs on a push",
    "      github.event.workflow_run.event == 'pull_request' &&\n",
  ),
  guard("the YAML was not found valid", "      github.event.workflow_run.conclusion == 'success' &&\n"),
  guard(
    "the pull request comes from a fork",
    " &&\n      github.event.workflow_run.head_repository.full_name == github.repository",
  ),
  guard("the pull request was closed", '.state == "open" and '),
  guard("a newer commit was pushed", ".head.sha == env.HEAD_SHA and "),
  guard("the pull request goes to another branch", " and .base.ref == env.BASE"),
  {
    threat: "the pull request brings a Zoneform of its own",
    edits: [["path: trusted\n", "path: trusted\n          ref: refs/pull/${{ steps.pull.outputs.number }}/merge\n"]],
  },
  {
    threat: "the merge that GitHub has made is one of another commit",
    edits: [[`if [ "$(git rev-parse 'HEAD^2')" != "$HEAD_SHA" ]; then`, "if false; then"]],
  },
  guard(
    "somebody else has written a comment that begins as the plan does",
    '.user.login == "github-actions[bot]" and ',
  ),
  guard("another job of the repository has written a comment", ' and (.body | startswith("<!-- zoneform plan -->"))'),
  guard("a job of a branch is going to rewrite the comment", 'cat "$RUNNER_TEMP/comment.md" >> "$GITHUB_STEP_SUMMARY"'),
  {
    threat: "there is no plan",
    edits: [["job.status == 'success' && 'success' || 'failure'", "'success'"]],
  },
  {
    threat: "there is no plan",
    edits: [["the status of the commit\n        if: ${{ !cancelled() }}\n", "the status of the commit\n"]],
  },
  ...["to plan", "to plan again", "to plan anew", "to look for drift"].map((part) =>
    guard(
      `${part}, there is no address of the states`,
      ': "${ZONEFORM_STATE:?is not a secret of the environment zoneform-plan}"',
    ),
  ),
  guard("to apply, there is no address of the states", ': "${ZONEFORM_STATE:?is not a secret of this environment}"'),
  guard("to look for drift, there is no address of the states", " && steps.drift.outputs.code == '3'"),
  guard("somebody starts the apply on a branch", "    if: github.ref == 'refs/heads/main'\n"),
  guard("somebody looks for drift on a branch", "    if: github.ref == 'refs/heads/main'\n"),

  guard("main has moved on before a merge is decided about", 'echo "moved=true" >> "$GITHUB_OUTPUT"'),
  {
    threat: "main has moved on, and its newest commit has a run of its own",
    edits: [['if [ "$MOVED" = true ]; then', "if false; then"]],
  },
  ...["look at main, to decide", "look at main, to apply"].flatMap((part) => [
    guard(`${part}: an old run is started again`, '[ "$GITHUB_RUN_ATTEMPT" != 1 ] || '),
    guard(`${part}: the run of the hour is late`, ' || [ "$GITHUB_EVENT_NAME" = schedule ]'),
  ]),

  guard("the pull request was closed without a merge", ".merged_at and "),
  guard("another pull request has the commit", ".merge_commit_sha == env.SHA and "),
  guard("the pull request was merged into another branch", ' and .base.ref == "main"'),
  guard(
    "somebody commented, and did not approve",
    ' | select(.state | IN("APPROVED", "CHANGES_REQUESTED", "DISMISSED"))',
    ' && $3 == "APPROVED"',
  ),
  guard("somebody approved, and then requested changes", ' && $3 == "APPROVED"'),
  guard("somebody approved, and then requested changes", ', "CHANGES_REQUESTED"'),
  guard("somebody approved twice, and the last approval was dismissed", ', "DISMISSED"'),
  guard(
    "somebody approved, and then commented",
    ' | select(.state | IN("APPROVED", "CHANGES_REQUESTED", "DISMISSED"))',
  ),
  guard("an older commit was approved", ' && $4 == ENVIRON["HEAD"]'),
  guard("the merge was applied before, and other checks have said much since", "--paginate "),
  guard("the job is started again once it has ended well, and other checks have said much since", "--paginate "),
  {
    threat: "one of two reviewers approved before there was a plan",
    edits: [["FIRST=$(sed -n 1p", "FIRST=$(sed -n '$p'"]],
  },
  {
    threat: "a reviewer approved before there was a plan, and again once there was one",
    edits: [["!seen[$1]++", "1"]],
  },
  { threat: "a stranger approved before there was a plan", edits: [["admin | write)", "*)"]] },
  { threat: "a stranger approved before there was a plan", edits: [[" || permission=none", ""]] },
  {
    threat: "a newer plan was kept before the last approval, and its run was cancelled once it was shown",
    edits: [["LAST=$(sed -n '$p'", "LAST=$(sed -n 1p"]],
  },
  {
    threat: "a reviewer approved while the plan was kept and not yet shown",
    edits: [['if [[ "$shown" > "$FIRST" ]]; then', "if false; then"]],
  },
  {
    threat: "the merge was applied before",
    edits: [
      [
        '--jq "$STATES" | sed -n 1p)\n          if [ "$last" = success ]; then\n            echo "::notice::pull request',
        '--jq "$STATES" | sed -n 1p)\n          if false; then\n            echo "::notice::pull request',
      ],
    ],
  },
  {
    threat: "a reviewer approved before there was a plan, and again once there was one",
    edits: [["| sort -r | awk", "| sort | awk"]],
  },

  guard("the plan was made after the approval", " and .created_at <= env.LAST"),
  guard("the plan has expired", "(.expired | not) and "),
  guard("another workflow has kept a plan", ".github/workflows/zoneform-plan.yml ", '(.path | split("@")[0]), '),
  guard("the workflow of a plan was started by something else", "workflow_run ", ".event, "),
  {
    threat: "the run of a plan has failed",
    edits: [
      ["success main", "main"],
      [".conclusion, ", ""],
    ],
  },
  {
    threat: "the run of a plan was one of a branch",
    edits: [
      ["success main", "success"],
      [".head_branch, ", ""],
    ],
  },
  guard(
    "the archive of the plan was exchanged",
    'echo "${digest#sha256:}  $RUNNER_TEMP/plan.zip" | sha256sum --check --quiet',
  ),
  guard("the archive has more than a plan", " plan.zfplan plan.md made-for.json"),
  guard("the plan was made for another commit", ".head == env.HEAD and "),
  guard("the plan was made for another pull request", " and .pull_request == (env.NUMBER | tonumber)"),
  {
    threat: "the plan was made for another main",
    edits: [
      [
        'if [ "$(jq --raw-output .tree "$RUNNER_TEMP/approved/made-for.json")" != "$(git rev-parse HEAD:edge)" ]; then',
        "if false; then",
      ],
    ],
  },

  {
    threat: "somebody started the apply by hand, and it waits",
    edits: [["for event in push workflow_dispatch", "for event in push"]],
  },
  guard("another check of the merge has ended well", ' | select(.context == "zoneform apply")'),
  {
    threat: "the merge was applied",
    edits: [[`if grep -q '^success ' "$RUNNER_TEMP/statuses"`, "if false"]],
  },
  {
    threat: "a reviewer was asked, and has rejected it",
    edits: [['= "pending a reviewer is asked"', '= ""']],
  },

  {
    threat: "the plan between the jobs was exchanged",
    edits: [['echo "$SHA256  $RUNNER_TEMP/plan/plan.zfplan" | sha256sum --check --quiet', "echo"]],
  },
  {
    threat: "the job is started again once it has ended well",
    edits: [['if [ "$last" = success ]', "if false"]],
  },
  guard("a change is held", ".held + "),
  guard("a change is held in part", " + .held_in_part"),

  guard("what is live mentions somebody, and draws an image", '"    " '),
  guard("more has drifted than an issue can hold", "size < 60000 "),
  guard("there are other issues, and one about drift that is closed", "state=open&"),
  guard("there are other issues, and one about drift that is closed", "&labels=zoneform-drift"),
];

describe.skipIf(NO_CI)(`the workflows for GitHub${NO_CI ?? ""}`, () => {
  test("notice what somebody tampers with, each because of the lines that say so", async () => {
    const prepared = await prepare();
    await expectGuarded<PartName, At>({
      rows: ROWS,
      honest: HONEST,
      guards: GUARDS,
      sourceOf: (part) => prepared.shipped[PARTS[part].file] ?? "",
      run: (part, source, tamper) => runPart(prepared, PARTS[part], { source, tamper }),
    });
  });
});

/** The main branch has moved on by another merge, as long as the row is tried. */
function moveMain({ place, github }: At): Promise<Undo> {
  return move(place, MAIN, github.pulls.at(-1)?.head ?? "");
}

/** Changes what the event says of the workflow that has ended. */
function ended({ excerpt }: At, to: JsonObject): void {
  const { payload } = excerpt.event;
  const workflow_run = { ...object(payload, "workflow_run"), ...to };
  excerpt.event = { ...excerpt.event, payload: { ...payload, workflow_run } };
}

function withoutSecrets({ github: { environments } }: At): Undo {
  const before = { ...environments };
  for (const name of Object.keys(environments)) environments[name] = { secrets: {} };
  return () => Object.assign(environments, before);
}

/** Moves a ref of the repository. */
async function move({ host }: Place, ref: string, to: string): Promise<Undo> {
  const before = await host("rev-parse", ref);
  await host("update-ref", ref, to);
  return () => host("update-ref", ref, before);
}

/** Puts a commit with other files in the place of the merge of the open pull request. */
async function replaceMerge({ git, commit, host }: Place, files: Readonly<Record<string, string>>): Promise<Undo> {
  const [ref, before] = ["refs/pull/2/merge", await host("rev-parse", "refs/pull/2/merge")];
  await git("checkout", "--quiet", "--detach", "main");
  await writeAll(git.folder, files);
  await commit("other files");
  await git("push", "--quiet", "--force", "origin", `HEAD:${ref}`);
  await git("checkout", "--quiet", "main");
  return () => host("update-ref", ref, before);
}

/** An approval from before there was any plan. */
function approval({ number, head }: Pull, { user }: Pick<Review, "user">): Review {
  return { pull: number, state: "APPROVED", user, commit: head, at: "2026-11-20T08:00:00Z" };
}

/** Somebody sets a status of the merge. */
function said({ github, merged }: At, state: string, context: string, description = ""): void {
  github.statuses.push({ place: merged.merge ?? "", body: "", state, context, description });
}

/** Puts other files into the archive of the plan, as whoever has made it could. */
async function archive({ github, kept }: At, files: Readonly<Record<string, string>>): Promise<void> {
  change(github.artifacts, await zipped({ ...kept, ...files }));
}

function replaced({ "made-for.json": text = "" }: Prepared["kept"], from: string | RegExp, to: string): string {
  const after = text.replace(from, to);
  if (after === text) throw new Error(`${String(from)} is not in ${text}`);
  return after;
}
