import { expect } from "vitest";
import { type Command, makePlace, type Place, secretsOf } from "../place.ts";
import { commitOn, type Edit } from "../story.ts";
import { type GitLab, openGitLab } from "./open.ts";
import type { MergeRequest } from "./shapes.ts";

/** A place, and GitLab as its host. */
export interface World {
  readonly place: Place;
  readonly gitlab: GitLab;
}

/** A project on GitLab that was set up as docs/ci.md says. */
export async function setUp(command?: Command): Promise<World> {
  const place = await makePlace({ ".gitlab/CODEOWNERS": "examples/ci/gitlab/CODEOWNERS" }, command);
  const gitlab = await openGitLab(place);
  Object.assign(gitlab.environments, secretsOf(place));
  return { place, gitlab };
}

/** Opens the merge request of an edit, whose pipeline has to end well. */
export async function propose({ place, gitlab }: World, branch: string, edit: Edit): Promise<MergeRequest> {
  await commitOn(place, branch, edit);
  const { request, pipeline } = await gitlab.open(branch);
  expect(pipeline.jobs).toMatchObject({ validate: { status: "success" }, plan: { status: "success" } });
  return request;
}
