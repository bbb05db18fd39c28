import { parseAddress } from "../core/address.ts";
import type { AddressParts } from "../core/address.ts";
import type { PlanInput } from "./inputs.ts";

/** Returns a test whether an object of this zone is selected by `--target` and `--exclude`. */
export function selector({
  selection,
  desired,
}: {
  readonly selection: PlanInput["selection"];
  readonly desired: Pick<PlanInput["desired"], "name">;
}): (kind: string, key: string) => boolean {
  const targets = selection.target.map(parseAddress);
  const excluded = selection.exclude.map(parseAddress);
  return (kind, key) => {
    const isNamed = (parts: AddressParts | undefined): boolean =>
      parts?.kind === kind &&
      (parts.key === undefined || parts.key === key) &&
      (parts.zone === undefined || parts.zone === desired.name);
    return (targets.length === 0 || targets.some(isNamed)) && !excluded.some(isNamed);
  };
}
