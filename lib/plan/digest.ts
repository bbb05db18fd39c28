import type { Digest } from "../core/brand.ts";
import { digest, digestOfText } from "../core/digest.ts";
import type { Json } from "../core/json.ts";
import type { Change, ZonePlan } from "./change.ts";

/**
 * The digest of a change, over what an approval is about: address, action, owned leaves before and after, and hazards
 * (product semantics 7). What takes an object away is approved for that very object as it was seen. Status, positions and
 * remarks are outside.
 */
export function digestOf(change: Omit<Change, "digest">): Digest {
  const leaf = ({ path, before, after }: Change["leaves"][number]): Json => [path, before ?? null, after ?? null];
  return digest({
    address: change.address,
    action: change.action,
    leaves: change.leaves.map(leaf),
    rules: change.rules.map(({ action, ref, from, to, leaves }) => [
      action,
      ref,
      from ?? null,
      to ?? null,
      leaves.map(leaf),
    ]),
    letGo: change.letGo,
    hazards: change.hazards,
    ...(takesAway(change) ? { id: change.id ?? null, expected: change.expected ?? null } : {}),
    ...(change.with ? { with: change.with.digest } : {}),
  });
}

function takesAway({ action }: Pick<Change, "action">): boolean {
  return action === "delete" || action === "replace";
}

/** The hash of a plan: the root over the digests of its changes, as a set. */
export function planHash(zones: readonly Pick<ZonePlan, "changes">[]): Digest {
  return hashOfDigests(zones.flatMap(({ changes }) => changes.map((change) => change.digest)));
}

/** The hash over the digests of changes, in whatever order they come. */
export function hashOfDigests(digests: readonly Digest[]): Digest {
  return digestOfText(digests.toSorted().join("\n"));
}
