import { defined } from "../core/defined.ts";
import { withoutZone } from "../core/address.ts";
import { brandDigest, type Digest, type ZoneId } from "../core/brand.ts";
import { digest, digestOfText } from "../core/digest.ts";
import { formatPath, type Json } from "../core/json.ts";
import type { Change, ZonePlan } from "./change.ts";
import { allLeaves, waitsForUpdate } from "./rests.ts";

/**
 * The version of digests and hashes. Raise it with every edit that gives an equal change another digest: an approval of
 * another version is then refused by name. `tests/unit/plan/digests.test.ts` pins the digests of this version.
 */
export const DIGEST_VERSION = 3;

/** How hashes of a version begin. The first version had no number in them. */
const HASH_FORM = /^(?:zf([1-9]\d{0,5})|sha256):[0-9a-f]{64}$/;

/**
 * The digest of a change, over what an approval is about: address, action, owned leaves before and after
 * (docs/semantics.md#approval). The address is the one within the zone, and the hash has the zone's id: a project that gets another zone
 * has the same digests as before. What waits has the digest of the update that it waits to become. What takes an object away, or a rule out
 * of it, is approved for that very object as it was seen: what is lost stands nowhere else in the change. Hazards are
 * approved beside the digest, because one that is gone by now contests nothing. Status, positions and remarks are outside.
 */
export function digestOf(change: Omit<Change, "digest">): Digest {
  const leaf = ({ path, before, after }: Change["leaves"][number]): Json => [path, before ?? null, after ?? null];
  return digest({
    address: withoutZone(change.address),
    action: actionOf(change),
    leaves: sortedLeaves(change).map(leaf),
    rules: change.rules.map(({ action, ref, from, to, leaves }) => [
      action,
      ref,
      from ?? null,
      to ?? null,
      leaves.map(leaf),
    ]),
    letGo: change.letGo,
    ...(takesAway(change) ? { id: change.id ?? null } : {}),
    ...(takesAway(change) || removesRules(change) ? { expected: change.expected ?? null } : {}),
    ...defined({ with: change.with?.digest }),
  });
}

/** Being held is status: what waits has the digest of the update that it will be (docs/semantics.md#held-changes). */
function actionOf({ action, held }: Pick<Change, "action" | "held">): Change["action"] {
  return action === "held" && waitsForUpdate(held) ? "update" : action;
}

/** In the order of their paths, so that it does not matter which of them wait. */
function sortedLeaves(change: Pick<Change, "leaves" | "held">): Change["leaves"] {
  return allLeaves(change).toSorted((left, right) => (formatPath(left.path) < formatPath(right.path) ? -1 : 1));
}

function takesAway({ action }: Pick<Change, "action">): boolean {
  return action === "delete" || action === "replace";
}

function removesRules({ rules }: Pick<Change, "rules">): boolean {
  return rules.some(({ action }) => action === "remove");
}

/** What of a change goes into the hash of its plan. */
export interface Hashed {
  readonly zone: ZoneId;
  readonly digest: Digest;
  readonly hazards: readonly string[];
  /** The code of the guard that refused it: who approves a plan does not approve what it shows as refused. */
  readonly refused?: string;
}

/** The hash of a plan: the root over its changes, as a set. */
export function planHash(zones: readonly Pick<ZonePlan, "zone" | "changes">[]): Digest {
  return hashOfChanges(zones.flatMap(({ zone, changes }) => changes.map((change) => hashedOf(zone.id, change))));
}

/** What of a change in a zone goes into the hash. */
export function hashedOf(
  zone: ZoneId,
  { digest, hazards, refused }: Pick<Change, "digest" | "hazards" | "refused">,
): Hashed {
  return { zone, digest, hazards, ...defined({ refused: refused?.code }) };
}

/** The hash over changes, in whatever order they come. The zone is in it: in a project of one zone no address names it. */
export function hashOfChanges(changes: readonly Hashed[]): Digest {
  const lines = changes.map(
    ({ zone, digest, hazards, refused = "" }) => `${zone} ${digest} ${hazards.toSorted().join(",")} ${refused}`,
  );
  const [, hex = ""] = digestOfText(lines.toSorted().join("\n")).split(":");
  return brandDigest(`zf${DIGEST_VERSION}:${hex}`);
}

/** The version of a hash as it is printed; undefined for a text that is no hash. */
export function versionOfHash(text: string): number | undefined {
  const [found, version = "1"] = HASH_FORM.exec(text) ?? [];
  return found === undefined ? undefined : Number(version);
}
