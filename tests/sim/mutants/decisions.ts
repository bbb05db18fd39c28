import type { Mutant } from "./mutant.ts";

/** Mistakes in what is compared, decided and called done. */
export const DECISIONS: readonly Mutant[] = [
  {
    name: "ambiguous-create-taken-as-failed",
    why: "what may have been created is forgotten (R2, R3)",
    file: "lib/apply/create.ts",
    find: "if (error instanceof AmbiguousError) return createdAfterAll(run, change, kind, startedAt, error);",
    replace: "",
  },
  {
    name: "name-taken-for-proof",
    why: "an object of the wanted name counts as ours, whoever made it (R5)",
    file: "lib/apply/create.ts",
    find: "const [isOld, isSame] = [isOlder(live, startedAt), isAsSent(run, change, kind, live)];",
    replace: "const [isOld, isSame] = [isOlder(live, startedAt) && isAsSent(run, change, kind, live) && false, true];",
  },
  {
    name: "no-compare-before-a-change",
    why: "what somebody changed since the plan is overwritten",
    file: "lib/apply/differences.ts",
    find: "if (equal(kind.guarded(live, isReplacing ? [] : change.leaves), change.expected)) return undefined;",
    replace: "if (kind.guarded(live, change.leaves)) return undefined;",
  },
  {
    name: "no-compare-before-a-deletion",
    why: "what somebody changed since the plan is deleted (R8)",
    file: "lib/apply/remove.ts",
    find: "if (!equal(kind.guarded(live, []), change.expected)) return { outcome: conflict(change, live) };",
    replace: "",
  },
  {
    name: "lost-deletion-called-done",
    why: "a delete whose answer was lost counts as done without a look (R4)",
    file: "lib/apply/remove.ts",
    find: "if (!(error instanceof AmbiguousError) || (await look(kind.read(run.client, run.zone, live)))) throw error;",
    replace: "if (!(error instanceof AmbiguousError)) throw error;",
  },
  {
    name: "failed-change-called-done",
    why: "a change that the service refused is written down as applied",
    file: "lib/apply/update.ts",
    find: "const found = error instanceof AmbiguousError && (await look(rereadAsWanted(run, change, kind)));",
    replace: "const found = live;",
  },
  {
    name: "protection-forgotten",
    why: "the protection does not survive the entry that asked for it",
    file: "lib/apply/remember.ts",
    find: "...((run.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),",
    replace: "",
  },
  {
    name: "absence-in-a-list-as-proof",
    why: "an object that a stale list does not show is forgotten (R4, R9)",
    file: "lib/apply/apply.ts",
    find: "if (object && (await isGone(world, zone.id, object))) editor.delete(address);",
    replace: "if (object) editor.delete(address);",
    also: {
      file: "lib/refresh/unlisted.ts",
      find: "if (!kind.isListed) return listed;",
      replace: "if (kind.name !== undefined) return listed;",
    },
  },
  {
    name: "absence-closes-an-open-create",
    why: "a create of unknown fate is forgotten because a list does not show it yet (R3, R4)",
    file: "lib/plan/bookkeeping.ts",
    find: "(!prior.pending || isLongAgo(prior, input.now))",
    replace: "prior.kind !== undefined",
  },
  {
    name: "refusals-not-heeded",
    why: "what a guard refused is carried out",
    file: "lib/apply/perform.ts",
    find: `if (change.refused) return { outcome: { status: "refused", refused: change.refused } };`,
    replace: "",
  },
  {
    name: "another-object-of-the-name-taken-for-ours",
    why: "what the application deleted and created anew is somebody else's, and is deleted with the entry",
    file: "lib/plan/subject.ts",
    find: "prior: undefined, isAnother: true };",
    replace: "isAnother: true };",
  },
  {
    name: "foreign-rules-dropped",
    why: "a PUT of the entry point takes the rules of others with it",
    file: "lib/resources/ruleset/wire.ts",
    find: "const rules = arrangeRules(desired, prior, live, options).order.map((ref) => {",
    replace:
      "const rules = arrangeRules(desired, prior, live, options).order.filter((ref) => wanted.has(ref)).map((ref) => {",
  },
];
