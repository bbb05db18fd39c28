import type { Place } from "../place.ts";
import type { Records } from "./records.ts";
import { type Event, type Pull, REPOSITORY } from "./shapes.ts";
import { REPOSITORY_PAYLOAD } from "./triggers.ts";

/** Makes the refs of a pull request for a branch of the clone, and gives the event that its workflows get. */
export async function propose(
  { git, host }: Place,
  { pulls }: Records,
  { branch, repository }: Pick<Pull, "branch" | "repository">,
): Promise<readonly [Pull, Event]> {
  await git("push", "--quiet", "--force", "origin", branch);
  const made = await git("rev-parse", branch);
  const begun = { base: "main", others: [], mergedAt: null, merge: null };
  const pull: Pull = { ...begun, number: pulls.length + 1, branch, repository, head: made };
  pulls.push(pull);
  await host("update-ref", `refs/pull/${pull.number}/head`, made);
  const ref = `refs/pull/${pull.number}/merge`;
  const tree = await host("merge-tree", "--write-tree", "main", made).catch(() => undefined);
  if (tree !== undefined)
    await host("update-ref", ref, await host("commit-tree", tree, "-p", "main", "-p", made, "-m", "merge"));
  const sha = await host("rev-parse", ref);
  const head = { sha: made, ref: branch, repo: { full_name: repository } };
  const payload = { ...REPOSITORY_PAYLOAD, pull_request: { number: pull.number, head } };
  return [pull, { name: "pull_request", payload, sha, ref, isFork: repository !== REPOSITORY }];
}

/** Merges a pull request. */
export async function merge(place: Place, pull: Pull): Promise<void> {
  pull.merge = await place.merge(pull.head, `Merge pull request #${pull.number}`);
  pull.mergedAt = place.tick();
}
