import { type Diagnostic, error, problem, Refusal, refusal } from "../core/diagnostic.ts";
import { brandDigest, type Digest, type ZoneId } from "../core/brand.ts";
import { EXIT } from "../core/exit-code.ts";
import { MOST_KEPT, readKeptApproval } from "./kept.ts";
import { type Approval, approvalOf, withApproval } from "./approval.ts";
import type { Change, Plan } from "../plan/change.ts";
import { DIGEST_VERSION, versionOfHash } from "../plan/digest.ts";
import { ofAnotherVersion } from "../plan/file.ts";
import { EVERYTHING, type Selection } from "../plan/inputs.ts";
import { withReview } from "../plan/watch.ts";
import type { RunHeader } from "../state/run-record.ts";
import { listRuns } from "../state/runs.ts";
import type { ProjectStore } from "../state/zone/store.ts";

/**
 * The consent that the caller of an apply presents. Without any of these, the fresh plan is shown, and the user is
 * asked to approve it.
 */
export interface Consent {
  /** A saved plan. */
  readonly saved?: Plan | undefined;
  /** `--expect HASH`: the hash of the plan that was approved. */
  readonly expect?: string | undefined;
  /** `--approve HASH`: the same, and the changes that a deletion limit blocks in exactly that plan are applied too. */
  readonly approve?: string | undefined;
  /** The scope of the fresh plan; everything by default. */
  readonly selection?: Selection;
}

/** The approved part of a fresh plan, and the approval that a stopped run continues under. */
export interface ApprovedPlan {
  readonly plan: Plan;
  readonly approval: Approval;
}

/**
 * Finds the approved set of changes (the saved plan, the fresh plan if it has the hash, or the approval that an earlier
 * run kept when it began) and returns its part of the fresh plan. Throws `Refusal` if no known plan has the hash, or if
 * the saved plan is of another project, zone or state, or has another hash.
 */
export async function takeApproved(store: ProjectStore, fresh: Plan, consent: Consent): Promise<ApprovedPlan> {
  const { saved, expect, approve } = consent;
  if (!saved && expect === undefined && approve === undefined) return { plan: fresh, approval: approvalOf(fresh) };
  const approval = await approvalFor(store, fresh, consent);
  const judging = { liftsLimits: consent.approve !== undefined, selection: consent.selection ?? EVERYTHING };
  const plan = withApproval(fresh, approval, judging);
  // Reads the recorded runs only for a conflict, whose message names the runs.
  const isContested = ({ by, refused }: Change): boolean => by !== undefined && refused?.contested !== undefined;
  if (!plan.zones.some(({ changes }) => changes.some(isContested))) return { plan: shownIn(plan, saved), approval };
  const runs: RunHeader[] = [];
  for (const { zone } of fresh.zones) runs.push(...(await listRuns(await store.view(zone.id))));
  return { plan: shownIn(withApproval(fresh, approval, { ...judging, runs }), saved), approval };
}

/** A saved plan also showed its reader the foreign rules. */
function shownIn(plan: Plan, saved: Plan | undefined): Plan {
  return saved ? withReview(plan, saved) : plan;
}

/** The approved hash, if one is given. Throws `Refusal` for an invalid hash, before anything is read. */
export function approvedHash({ expect, approve }: Pick<Consent, "expect" | "approve">): Digest | undefined {
  const wanted = [expect, approve].flatMap((text) => (text === undefined ? [] : hashOf(text)));
  const [hash, ...others] = new Set(wanted);
  if (others.length > 0) throw refusal(problem("two-approvals", {}), EXIT.refused);
  return hash;
}

async function approvalFor(store: ProjectStore, fresh: Plan, consent: Consent): Promise<Approval> {
  const { saved } = consent;
  const hash = approvedHash(consent);
  if (saved) return ofSaved(store, fresh, saved, hash);
  if (hash === undefined || hash === fresh.hash) return approvalOf(fresh);
  const kept = await readKeptApproval(
    store,
    fresh.zones.map(({ zone }) => zone.id),
    hash,
  );
  if (kept) return kept;
  const message = `the plan has changed: its hash is ${fresh.hash}, but ${hash} was approved`;
  const remedy = `plan again and have that approved, or apply the saved plan with that hash; the state keeps only the approvals of the last ${MOST_KEPT} plans`;
  throw refusal(problem("another-plan", { message }, { remedy }), EXIT.refused);
}

function ofSaved(store: ProjectStore, fresh: Plan, saved: Plan, hash: Digest | undefined): Approval {
  if (hash !== undefined && hash !== saved.hash) {
    const message = `the saved plan has the hash ${saved.hash}, but ${hash} was approved`;
    throw refusal(problem("another-plan", { message }), EXIT.refused);
  }
  if (saved.project !== fresh.project)
    throw refusal(problem("plan-of-another-project", { made: saved.project, here: fresh.project }), EXIT.refused);
  for (const { zone, lineage } of saved.zones) {
    const section = fresh.zones.find((each) => each.zone.id === zone.id);
    if (!section) {
      const values = { name: zone.name, id: zone.id, zones: zonesOf(fresh) };
      throw refusal(problem("plan-of-another-zone", values), EXIT.refused);
    }
    const now = section.lineage;
    if (lineage === undefined || lineage === now) continue;
    throw new Refusal([madeWithAnotherState(store, { zone, lineage }, now)], EXIT.conflict);
  }
  return approvalOf(saved);
}

function zonesOf({ zones }: Plan): string {
  return zones.map(({ zone }) => `${zone.name} (${zone.id})`).join(", ") || "no zone";
}

/** A hash as printed, never a prefix: an approval is for one plan and one version of the digests. */
function hashOf(text: string): Digest {
  const hash = text.trim();
  const version = versionOfHash(hash);
  if (version === DIGEST_VERSION) return brandDigest(hash);
  if (version !== undefined) throw ofAnotherVersion(`${hash} is a hash of version ${version}`);
  const remedy = `give the whole hash, as zoneform plan prints it: zf${DIGEST_VERSION}: and 64 hex digits`;
  throw refusal(problem("not-a-hash", { hash: JSON.stringify(text) }, { remedy }));
}

/** A zone of a plan, and the lineage of the state that the plan was made with. */
interface PlannedWith {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly lineage: string;
}

/**
 * Reports that a plan was made with another state than the one here, whose lineage is `now`; usually the place is
 * wrong.
 */
export function madeWithAnotherState(
  store: Pick<ProjectStore, "describe">,
  { zone, lineage }: PlannedWith,
  now: string | undefined,
): Diagnostic {
  const here = store.describe(zone.id);
  const found = now === undefined ? `there is no state in ${here}` : `the one in ${here} has lineage ${now}`;
  return error(problem("plan-of-another-state", { zone: zone.name, lineage, found }));
}
