import type { Equivalent } from "./mutant.ts";

/** Mistakes without any visible effect: they do not count. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    name: "done-not-flushed",
    proof:
      "the record `done` may be lost in a crash: the intent before it is durable, the object stays pending or known by its id, and the next run finds it again (R10)",
  },
  {
    name: "lock-not-given-back",
    proof:
      "a run that ends without giving its lock back is a dead holder, and the next process may take over from a dead holder; after a power cut both need the same `state unlock`",
  },
  {
    name: "snapshot-version-not-compared",
    proof:
      "the expected version of a snapshot is compared under the lock, and nobody writes without the lock; it guards against hands that change the file, which no process of ours does",
  },
  {
    name: "guard-of-protected-objects-not-asked",
    proof:
      "a plan that deletes a protected object is refused; if it were not, apply looks at the state once more just before the deletion and refuses it there",
  },
  {
    name: "torn-tail-not-cut-before-an-append",
    proof:
      "no run appends to a journal with a torn tail: the journal of a dead run is folded into a snapshot before the next one writes its own, and after a failed append a run appends no more",
  },
  {
    name: "success-with-errors-believed",
    proof:
      "an answer that says success and errors at once counts as unreadable, and the write as ambiguous; it is then looked up and found as wanted, which is what believing it says at once",
  },
];
