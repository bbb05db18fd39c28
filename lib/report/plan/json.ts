import type { LeafChange } from "../../core/diff.ts";
import type { Origin } from "../../core/diagnostic.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Change, Cost, FailedZone, ForeignDanger, Plan, Refused, Since, ZonePlan } from "../../plan/change.ts";
import { costOf, totalCost } from "../../plan/cost.ts";
import { isPending } from "../../plan/since.ts";
import type { Held, RuleChange } from "../../kinds/traits/compared.ts";
import { diagnosticDocument } from "../lines/diagnostics.ts";
import { dangersOf, hazardsDocument } from "../view/hazards.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { isSecret } from "../lines/leaf-lines.ts";
import { fieldsOf, rulesOf } from "../view/group.ts";
import { type Stopped, tally } from "../view/view.ts";

/**
 * The plan as one document for programs. Nothing is grouped or cut; values of secrets are absent, including
 * fingerprints. `exitCodes` has the code of each zone by name (docs/semantics.md#exit-codes).
 */
export function planDocument(plan: Plan, exitCodes: ReadonlyMap<string, number> = new Map()): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project: plan.project,
    hash: plan.hash,
    cost: costDocument(totalCost(plan)),
    hazards: hazardsDocument(dangersOf(plan)),
    ...(plan.since === undefined ? {} : { since: sinceDocument(plan.since, plan.zones) }),
    zones: [
      ...plan.zones.map((zone) => zoneDocument(zone, plan, exitCodes.get(zone.zone.name))),
      ...(plan.failed ?? []).map(failedZoneDocument),
    ],
  };
}

/** What the plan was compared with, and how many of its changes were pending before. */
function sinceDocument(since: Since, zones: readonly ZonePlan[]): JsonObject {
  const { ref, commit, isBehind, isNewProject, withdrawn } = since;
  const parts = zones.flatMap(({ changes }) => changes).map((change) => partOf(since, change));
  const counted = (wanted: string): number => parts.filter((part) => part === wanted).length;
  return {
    ref,
    commit,
    is_behind: isBehind,
    is_new_project: isNewProject,
    counts: { branch: counted("branch"), both: counted("both"), pending: counted("pending") },
    no_longer_planned: withdrawn,
  };
}

/** Whether a change is by this branch, was pending before, or both in part. */
function partOf(since: Since, change: Change): "branch" | "both" | "pending" {
  if (isPending(since, change)) return "pending";
  return since.pending.has(change.address) ? "both" : "branch";
}

function changeSince(since: Since | undefined, change: Change): JsonObject {
  if (since === undefined) return {};
  const part = partOf(since, change);
  const { before = [], branch = [] } = since.pending.get(change.address) ?? {};
  return { since: { part, ...(part === "both" ? { branch, pending: before } : {}) } };
}

function zoneDocument(zone: ZonePlan, { budget, since }: Plan, exitCode: number | undefined): JsonObject {
  const { planned, letGo, refused, contested, ...others } = tally([zone]);
  const stopped = { ...stoppedCounts("refused", refused), ...stoppedCounts("contested", contested) };
  return {
    zone: { id: zone.zone.id, name: zone.zone.name },
    ...present({ exit_code: exitCode, lineage: zone.lineage }),
    serial: zone.serial,
    counts: { ...planned, let_go: letGo, ...others, ...stopped },
    cost: costDocument(costOf(zone.changes, budget)),
    changes: zone.changes.map((change) => ({ ...changeDocument(change), ...changeSince(since, change) })),
    foreign_rules: (zone.watch?.dangers ?? []).map(foreignDocument),
    findings: zone.findings.map(diagnosticDocument),
    gone: zone.gone,
  };
}

function stoppedCounts(name: string, { all, deletions, replacements }: Stopped): JsonObject {
  return { [name]: all, [`${name}_deletions`]: deletions, [`${name}_replacements`]: replacements };
}

/** A zone that could not be planned: `errors` says why, and nothing else is known about it. */
export function failedZoneDocument({ zone, at, diagnostics, exitCode }: FailedZone): JsonObject {
  return {
    zone: { id: zone.id, name: zone.name },
    exit_code: exitCode,
    at: { ...at },
    errors: diagnostics.map(diagnosticDocument),
  };
}

function costDocument({ calls, issuances, seconds }: Cost): JsonObject {
  return { calls, issuances, seconds };
}

/** A foreign rule that lets traffic past ours, for programs. */
export function foreignDocument({ address, ref, at, does, hazards, project }: ForeignDanger): JsonObject {
  return { address, ref, position: at, does, ...present({ project }), hazards };
}

function changeDocument(change: Change): JsonObject {
  return {
    address: change.address,
    kind: change.kind,
    key: change.key,
    action: change.action,
    cause: change.cause,
    ...present({ reason: change.reason, id: change.id }),
    hazards: change.hazards,
    ...(change.observed === undefined ? {} : { observed: change.observed.map((each) => ({ ...each })) }),
    ...present({ dangers: change.dangers }),
    leaves: fieldsOf(change).map(leafDocument),
    rules: rulesOf(change).map(ruleDocument),
    ...(change.held === undefined ? {} : { held: heldDocument(change.held) }),
    let_go: change.letGo,
    ...present({ live_keeps: change.keeps }),
    notes: change.notes,
    ...(change.refused === undefined ? {} : { refused: refusedDocument(change.refused) }),
    ...present({ moves_to: change.movesTo?.address }),
    protect: change.protect,
    digest: change.digest,
    ...(change.at === undefined ? {} : { at: { ...change.at } }),
  };
}

/** Why a guard blocked a change, for programs. */
export function refusedDocument({ code, message, remedy, commands }: Refused): JsonObject {
  return { code, message, remedy, ...present({ commands }) };
}

function heldDocument({ leaves, reason, lifts }: Held): JsonObject {
  return { reason, ...present({ goes_on_once: lifts }), leaves: leaves.map(leafDocument) };
}

/** A field for programs; a secret only shows that it differs. */
function leafDocument(leaf: LeafChange): JsonObject {
  const { path, cause, before, after, prior, origin } = leaf;
  const from = origin === undefined ? {} : { origin: originDocument(origin) };
  if (isSecret(leaf)) return { path, cause, sensitive: true, ...from };
  return { path, cause, ...present({ before, after, prior }), ...from };
}

/** The place that decides a value: for one object, or as a policy or an exception for many. */
function originDocument({ at, through, until }: Origin): JsonObject {
  return { at: { ...at }, ...present({ through, until }) };
}

/** A step of an ordered ruleset for programs. */
export function ruleDocument(rule: RuleChange): JsonObject {
  const { action, ref, title, from, to, cause, at, lost, foreign, leaves } = rule;
  const place = at === undefined ? {} : { at: { ...at } };
  return {
    action,
    ref,
    title,
    ...present({ from, to, lost, foreign }),
    ...place,
    cause,
    leaves: leaves.map(leafDocument),
  };
}

/** The members with a value, because JSON has no undefined. */
export function present(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}
