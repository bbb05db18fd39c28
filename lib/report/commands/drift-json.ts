import type { LeafChange } from "../../core/diff.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { FailedZone } from "../../plan/change.ts";
import type { Drifted } from "../../plan/drift.ts";
import { EVERYTHING } from "../../plan/inputs.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import { diagnosticDocument } from "../lines/diagnostics.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { adoptedCount, type DriftView, isStopped, type LookedAt, pendingOf, untrackedOf } from "./drift-view.ts";
import { failedZoneDocument, foreignDocument, present } from "../plan/json.ts";
import { isSecret } from "../lines/leaf-lines.ts";
import { hazardsDocument } from "../view/hazards.ts";
import { tally } from "../view/view.ts";

/** The exit codes, for all zones and by zone name. */
export interface DriftCodes {
  readonly byZone: ReadonlyMap<string, number>;
  readonly code: number;
}

/**
 * A drift report for programs, from the old value to the new one. Each field has the `applied`, the `live` and the
 * `declared` value.
 */
export function driftDocument(
  project: string,
  zones: readonly DriftView[],
  failed: readonly FailedZone[],
  { byZone, code }: DriftCodes,
  { target, exclude }: LookedAt = EVERYTHING,
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project,
    against: "state",
    exit_code: code,
    hazards: hazardsDocument(zones.flatMap(({ judgement }) => [...judgement.drifted, ...judgement.foreign])),
    ...(target.length === 0 ? {} : { target }),
    ...(exclude.length === 0 ? {} : { exclude }),
    zones: [
      ...zones.map((zone) => zoneDocument(zone, byZone.get(zone.section.zone.name))),
      ...failed.map(failedZoneDocument),
    ],
  };
}

function zoneDocument(view: DriftView, exitCode: number | undefined): JsonObject {
  const { section, judgement, coverage } = view;
  const { drifted, adopted, underWay, unjudged } = judgement;
  const { held, foreign, expired, gone } = tally([section]);
  const count = (what: Drifted["what"]): number => drifted.filter((each) => each.what === what).length;
  return {
    zone: { id: section.zone.id, name: section.zone.name },
    ...present({ exit_code: exitCode, lineage: section.lineage }),
    serial: section.serial,
    counts: {
      changed: count("changed"),
      deleted: count("deleted"),
      replaced: count("replaced"),
      vanished: count("vanished"),
      foreign_rules: judgement.foreign.length,
      being_changed: underWay.length,
      not_judged: unjudged.length,
      fields: coverage.fields,
      fields_not_judged: coverage.fieldsNotJudged,
      adopted: adoptedCount([view]),
      untracked: untrackedOf(view).length,
      not_applied: pendingOf(view).length,
      held,
      foreign,
      expired,
      gone,
    },
    drift: drifted.map(driftedDocument),
    foreign_rules: judgement.foreign.map(foreignDocument),
    not_judged: unjudged,
    entry_points_unread: judgement.unread,
    ...(underWay.length > 0 ? { is_stopped: isStopped(view) } : {}),
    being_changed: underWay.map(({ address, run, hasEnded }) => ({
      address,
      ...present({ run, has_ended: hasEnded }),
    })),
    adopted: adopted
      .filter(({ isUntracked }) => !isUntracked)
      .map(({ address, leaves, rules }) => ({ address, leaves, rules })),
    untracked: untrackedOf(view),
    not_applied: pendingOf(view).map(({ address }): Json => address),
    gone: section.gone,
    findings: section.findings.map(diagnosticDocument),
  };
}

function driftedDocument({
  address,
  kind,
  key,
  what,
  id,
  leaves,
  rules,
  hazards,
  isUsedBy,
  says,
  waits,
}: Drifted): JsonObject {
  return {
    address,
    kind,
    key,
    what,
    ...present({ id, held: waits }),
    hazards,
    ...present({ used_by: isUsedBy, says }),
    leaves: leaves.map(foundDocument),
    rules: rules.map(eventDocument),
  };
}

function eventDocument({ what, ref, title, from, to, cause, leaves }: RuleEvent): JsonObject {
  return { what, ref, title, ...present({ from, to }), cause, leaves: leaves.map(foundDocument) };
}

/** A field for programs, with its values by who set them. A secret only shows that it differs. */
export function foundDocument(leaf: LeafChange): JsonObject {
  const { path, cause, before, after, prior } = leaf;
  return isSecret(leaf)
    ? { path, cause, sensitive: true }
    : { path, cause, ...present({ applied: prior, live: before, declared: after }) };
}
