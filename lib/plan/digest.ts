import { defined, formatPath, type Json } from "../core/json.ts";
import { withoutZone } from "../core/address.ts";
import { brandDigest, type Digest, type ZoneId } from "../core/brand.ts";
import { digest, digestOfText } from "../core/digest.ts";
import type { Change, ZonePlan } from "./change.ts";
import { allLeaves, waitsForUpdate } from "./write.ts";
import { type AppliedBy, OTHERS } from "../state/state.ts";

/**
 * The version of digests and hashes. Raise it with every edit that gives an equal change another digest; approvals of
 * another version are then refused with a clear message. `tests/unit/plan/digests.test.ts` pins the digests of this
 * version.
 */
export const DIGEST_VERSION = 1;

const HASH_FORM = /^zf([1-9]\d{0,5}):[0-9a-f]{64}$/;

/**
 * The digest of a change covers what an approval is about: address, action, and owned fields before and after
 * (docs/semantics.md#approval). The address has no zone name (the hash contains the zone's id), so a project that gets
 * a second zone keeps its digests. A held change has the digest of the update that it becomes. A deletion, of an object
 * or of a rule, also covers the expected live values, because nothing else in the change shows what is lost. The digest
 * includes the runs that last applied all this, so an approval is spent once its change is applied, and a plan that is
 * made after a rollback differs. Hazards are approved beside the digest, because losing one is no conflict. Status,
 * positions and remarks do not count.
 */
export function digestOf(change: Omit<Change, "digest">): Digest {
  const leaf = ({ path, before, after }: Change["leaves"][number]): Json => [path, before ?? null, after ?? null];
  const runs = restsOnRuns(change);
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
    ...(runs.length > 0 ? { runs } : {}),
    ...defined({ with: change.with?.digest }),
  });
}

/**
 * Being held is status: a held change has the digest of the update that it becomes (docs/semantics.md#held-changes).
 */
function actionOf({ action, held }: Pick<Change, "action" | "held">): Change["action"] {
  return action === "held" && waitsForUpdate(held) ? "update" : action;
}

/** Sorted by path, so that it makes no difference which of them are held. */
function sortedLeaves(change: Pick<Change, "leaves" | "held">): Change["leaves"] {
  return allLeaves(change).toSorted((left, right) => (formatPath(left.path) < formatPath(right.path) ? -1 : 1));
}

function takesAway({ action }: Pick<Change, "action">): boolean {
  return action === "delete" || action === "replace";
}

function removesRules({ rules }: Pick<Change, "rules">): boolean {
  return rules.some(({ action }) => action === "remove");
}

/** The part of a change that the hash of a plan covers. */
export interface Hashed {
  readonly zone: ZoneId;
  readonly digest: Digest;
  readonly hazards: readonly string[];
  /** The code of the guard that blocks the change. Approving a plan does not approve what it shows as blocked. */
  readonly refused?: string;
}

/** The hash of a plan: the root over its changes, as a set. */
export function planHash(zones: readonly Pick<ZonePlan, "zone" | "changes">[]): Digest {
  return hashOfChanges(zones.flatMap(({ zone, changes }) => changes.map((change) => hashedOf(zone.id, change))));
}

/** The part of a zone's change that the hash covers. */
export function hashedOf(
  zone: ZoneId,
  { digest, hazards, refused }: Pick<Change, "digest" | "hazards" | "refused">,
): Hashed {
  return { zone, digest, hazards, ...defined({ refused: refused?.code }) };
}

/**
 * The hash over changes, in any order. It contains the zone's id, because addresses name no zone if there is only one.
 */
export function hashOfChanges(changes: readonly Hashed[]): Digest {
  const lines = changes.map(
    ({ zone, digest, hazards, refused = "" }) => `${zone} ${digest} ${hazards.toSorted().join(",")} ${refused}`,
  );
  const [, hex = ""] = digestOfText(lines.toSorted().join("\n")).split(":");
  return brandDigest(`zf${DIGEST_VERSION}:${hex}`);
}

/** The version of a printed hash; undefined if the text is no hash. */
export function versionOfHash(text: string): number | undefined {
  const [, version] = HASH_FORM.exec(text) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** The parts of a change that say which runs an approval of it rests on. */
type Resting = Pick<Change, "action" | "by" | "held" | "leaves" | "letGo" | "rules">;

/**
 * The runs that an approval of the change rests on: for each field and rule that it writes or releases, the run that
 * last applied it. So an approval is spent once its change is applied, and changes to other fields do not affect it
 * (docs/semantics.md#approval). A change that creates, deletes, adopts or releases an object rests on the whole object
 * too.
 */
export function restsOnRuns(change: Resting, by: AppliedBy | undefined = change.by): readonly string[] {
  const { action } = change;
  if (!by) return [];
  const fields = fieldsOf(change, allLeaves(change));
  const isOfFields = action === "update" || action === "held" || action === "no-op";
  return (isOfFields ? fields : [OTHERS, ...fields])
    .flatMap((field) => {
      const run = runOf(by, field);
      return run === undefined ? [] : [`${field} ${run}`];
    })
    .sort();
}

/** These runs, each once. */
export function runsRestedOn(change: Resting, by: AppliedBy | undefined = change.by): readonly string[] {
  return [...new Set(restsOnRuns(change, by).map((each) => each.slice(each.lastIndexOf(" ") + 1)))];
}

/** The runs that applied each field of an object once this run has applied the change. A held field keeps its run. */
export function appliedByRun(change: Change, before: AppliedBy | undefined, run: string): AppliedBy | undefined {
  if (change.action === "create" || change.action === "replace" || change.resumes) return { [OTHERS]: run };
  const fields = fieldsOf(change, change.leaves);
  return fields.length === 0 ? before : { ...before, ...Object.fromEntries(fields.map((field) => [field, run])) };
}

/** The fields and rules that a change writes or releases. */
function fieldsOf({ letGo, rules }: Resting, leaves: Change["leaves"]): readonly string[] {
  return [
    ...leaves.map(({ path }) => formatPath(path)),
    ...rules.map(({ ref }) => formatPath(["rules", ref])),
    ...letGo.map(formatPath),
  ];
}

function runOf(by: AppliedBy, field: string): string | undefined {
  return by[field] ?? by[OTHERS];
}
