import { type Command, makePlace, type Place, secretsOf } from "../place.ts";
import { commitOn, type Edit } from "../story.ts";
import { type GitHub, openGitHub } from "./open.ts";
import type { Pull, WorkflowRun } from "./shapes.ts";

/** The workflows, by their files. */
export const WORKFLOWS: readonly string[] = ["validate", "plan", "apply", "drift"].map(
  (name) => `zoneform-${name}.yml`,
);

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(WORKFLOWS.map((name) => [`.github/workflows/${name}`, `examples/ci/github/${name}`])),
  ".github/zoneform/package.json": "examples/ci/github/package.json",
  ".github/zoneform/package-lock.json": "tests/support/ci/lock.json",
  ".github/CODEOWNERS": "examples/ci/github/CODEOWNERS",
};

/** A place, and GitHub as its host. */
export interface World {
  readonly place: Place;
  readonly github: GitHub;
}

/** A repository on GitHub that was set up as docs/ci.md says. */
export async function setUp(command?: Command): Promise<World> {
  const place = await makePlace(FILES, command);
  const github = await openGitHub(place);
  for (const [name, secrets] of Object.entries(secretsOf(place)))
    github.environments[name] = { secrets, isReviewed: name === "zoneform-apply-reviewed" };
  return { place, github };
}

/** Opens the pull request of an edit that was found valid. */
export async function propose({ place, github }: World, branch: string, edit: Edit): Promise<Pull> {
  await commitOn(place, branch, edit);
  return github.openValid(branch);
}

/** Everything that the jobs of a run printed, and what they showed on its page. */
export function logOf(run: WorkflowRun): string {
  return Object.values(run.jobs)
    .map(({ log, summary }) => log + summary)
    .join("");
}
