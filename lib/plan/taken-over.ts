import { type Diagnostic, warning } from "../core/diagnostic.ts";
import type { PlanInput } from "./inputs.ts";
import type { Subject } from "./subject.ts";
import { planAddress } from "./targets.ts";

/** The code of a finding about a foreign object under a name that was ours. */
export const ANOTHER_OF_THIS_NAME = "another-of-this-name";

/**
 * Whether somebody deleted an applied object and created another one under its name, which the YAML does not declare.
 * The state drops the old one; the new one is not ours to delete. An application that owns its hostnames does this all
 * day.
 */
export function isTakenOver({ target, prior, live }: Subject): boolean {
  return (
    !target && live !== undefined && prior !== undefined && !prior.undeclared && !prior.pending && prior.id !== live.id
  );
}

/** Reports that each of them stays live: after removing it from the YAML, one would expect it to be deleted. */
export function takenOverFindings(input: PlanInput, subjects: readonly Subject[]): readonly Diagnostic[] {
  return subjects.map(({ kind, live }) => {
    const address = planAddress(input, kind.name, live?.key ?? "");
    return warning({
      code: ANOTHER_OF_THIS_NAME,
      address,
      message: `${address} is not the applied object: that one was deleted and another was created with its name, which stays live`,
      remedy: "declare it to adopt it, or delete it where it was created",
    });
  });
}
