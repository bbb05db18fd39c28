import type { Digest } from "../core/brand.ts";
import { digest } from "../core/digest.ts";
import { type Path, valueAt } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import { digestOf } from "../plan/digest.ts";
import { allLeaves, waitsForUpdate } from "../plan/write.ts";

/** One field of an approved edit. Once a run has written the other fields, this identifies the rest of the edit. */
export interface ApprovedPart {
  /** The digest that the edit would have with this field alone. */
  readonly digest: Digest;
  readonly paths: readonly Path[];
  /** The digest of the values that it sets; the state shows whether a run has set them. */
  readonly sets: Digest;
}

/**
 * The parts of an edit, one for each field. Undefined for changes that are approved as a whole: other actions, rules,
 * steps with a companion, and kinds whose edits rest on more than the fields that they set.
 */
export function partsOf(change: Change): readonly ApprovedPart[] | undefined {
  const { action, expected: rests, rules, letGo } = change;
  const isEdit = action === "update" || action === "adopt" || (action === "held" && waitsForUpdate(change.held));
  if (!isEdit || !rests || change.with || rules.length + letGo.length > 0) return undefined;
  const byField = new Map<string, Change["leaves"][number][]>();
  for (const leaf of allLeaves(change)) {
    const field = leaf.path[0] ?? "";
    const leaves = byField.get(field);
    if (leaves) leaves.push(leaf);
    else byField.set(field, [leaf]);
  }
  if (Object.keys(rests).some((field) => !byField.has(field))) return undefined;
  const { held: _held, ...whole } = change;
  return [...byField.values()].map((leaves) => ({
    digest: digestOf({ ...whole, action: "update", leaves }),
    paths: leaves.map(({ path }) => path),
    sets: digest(leaves.map(({ after }) => after ?? null)),
  }));
}

/**
 * Whether a fresh change is the rest of an approved edit: some of its fields, each as approved, while a run has written
 * the others. A field that another change has settled no longer belongs to the edit, so this is another edit then.
 */
export function isRestOf(change: Change, approved: readonly ApprovedPart[] | undefined): boolean {
  const left = change.action === "adopt" ? undefined : partsOf(change);
  if (!approved || !left || left.length === 0) return false;
  const digests = new Set(left.map((part) => part.digest));
  const written = approved.filter((part) => !digests.has(part.digest));
  return written.length === approved.length - left.length && written.every((part) => isWritten(part, change));
}

function isWritten({ paths, sets }: ApprovedPart, { prior }: Change): boolean {
  return prior !== undefined && digest(paths.map((path) => valueAt(prior, path) ?? null)) === sets;
}
