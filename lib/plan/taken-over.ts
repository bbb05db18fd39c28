import { formatAddress } from "../core/address.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import type { PlanInput } from "./inputs.ts";
import type { Subject } from "./subject.ts";

/** The code of a finding about an object that is somebody else's now, under a name that was ours. */
export const ANOTHER_OF_THIS_NAME = "another-of-this-name";

/**
 * Whether somebody deleted what was applied, and made another object of the same name, which nobody declares: the state
 * forgets the one that is gone, and the new one is nobody's to delete. Where an application owns the hostnames it does so
 * all day.
 */
export function isTakenOver({ target, prior, live }: Subject): boolean {
  return (
    !target && live !== undefined && prior !== undefined && !prior.undeclared && !prior.pending && prior.id !== live.id
  );
}

/** Says of each that it stays: whoever took it out of the YAML takes it for deleted. */
export function takenOverFindings(
  { desired, isOneOfMany }: PlanInput,
  subjects: readonly Subject[],
): readonly Diagnostic[] {
  return subjects.map(({ kind, live }) => {
    const key = live?.key ?? "";
    const zone = isOneOfMany ? { zone: desired.name } : {};
    const address = formatAddress({ ...zone, kind: kind.name, ...(key === "" ? {} : { key }) });
    return warning({
      code: ANOTHER_OF_THIS_NAME,
      address,
      message: `${address} is another one than was applied: somebody deleted that, and made a new one of this name, which stays live`,
      remedy: "declare it to take it over, or delete it where it was made",
    });
  });
}
