import { type AddressParts, parseAddress } from "../core/address.ts";
import type { PlanInput } from "./inputs.ts";
import { suggest } from "../core/suggest.ts";
import { localAddress, planAddress } from "./targets.ts";

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

/**
 * The addresses of a selection that match nothing in this zone, each with the closest match. A kind alone always
 * matches. Without this check, a typo in `--target` would read as "no changes".
 */
export function missesOf(input: PlanInput): ReadonlyMap<string, string | undefined> {
  const misses = new Map<string, string | undefined>();
  for (const text of [...input.selection.target, ...input.selection.exclude]) {
    const { zone, kind, key } = parseAddress(text) ?? { kind: text };
    const isElsewhere = zone !== undefined && zone !== input.desired.name;
    if (isElsewhere) misses.set(text, undefined);
    else if (key !== undefined && !isKnown(input, kind, key)) misses.set(text, nearest(input, kind, key));
  }
  return misses;
}

function isKnown(input: PlanInput, kind: string, key: string): boolean {
  return (
    input.desired.objects.some((object) => object.kind === kind && object.key === key) ||
    input.state?.objects.has(localAddress(kind, key)) === true ||
    liveKeys(input, kind).includes(key)
  );
}

function nearest(input: PlanInput, kind: string, key: string): string | undefined {
  const known = [
    ...input.desired.objects.filter((object) => object.kind === kind).map((object) => object.key),
    ...liveKeys(input, kind),
  ];
  const found = suggest(key, known);
  return found === undefined ? undefined : planAddress(input, kind, found);
}

function liveKeys({ live }: PlanInput, kind: string): readonly string[] {
  for (const [name, objects] of live.objects) if (name === kind) return [...objects.keys()];
  return [];
}
