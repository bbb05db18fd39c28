import type { ZoneStatus } from "../../engine/hostnames/status.ts";
import { type Hazard, HAZARDS } from "../../kinds/hazards.ts";
import type { ConfigJudgement } from "../../plan/against-config.ts";
import type { FailedZone } from "../../plan/change.ts";
import type { DriftJudgement } from "../../plan/drift.ts";
import type { Metric } from "../printers/prometheus.ts";
import { attentionOf } from "./attention.ts";

/** What was looked at, and when, in milliseconds since the epoch. */
export interface Looked<Zone> {
  readonly project: string;
  readonly zones: readonly Zone[];
  readonly failed: readonly FailedZone[];
  readonly now: number;
}

/** A zone whose live objects were judged. */
export interface JudgedZone {
  readonly zone: { readonly name: string };
  readonly judgement: DriftJudgement | ConfigJudgement;
}

type Sample = Metric["samples"][number];

/** The hazard of objects that were changed without danger. */
const NONE = "none";

/**
 * The gauges of a drift check, or of a comparison with the YAML. Each object counts once, under its worst hazard, so
 * that their sum is the number of objects. A zone that could not be read has no count, and is not checked.
 */
export function driftMetrics({ project, zones, failed, now }: Looked<JudgedZone>): readonly Metric[] {
  return [
    {
      name: "drift_objects",
      help: "Objects and foreign rules that differ from what was applied, or from the YAML, by their worst hazard.",
      samples: zones.flatMap((each) => {
        const worst = differing(each).map(({ hazards }) => HAZARDS.find((hazard) => hazards.includes(hazard)) ?? NONE);
        return [...HAZARDS, NONE].map((hazard) => ({
          labels: { project, zone: each.zone.name, hazard },
          value: worst.filter((one) => one === hazard).length,
        }));
      }),
    },
    {
      name: "drift_unchecked",
      help: "Objects that a run is changing or left unfinished, and entry points that the token may not read.",
      samples: zones.map((each) => sample(project, each.zone.name, unchecked(each))),
    },
    checkedMetric("drift", [
      ...zones.map((each) => sample(project, each.zone.name, unchecked(each) === 0 ? 1 : 0)),
      ...unread(project, failed),
    ]),
    timeMetric("drift", project, now),
  ];
}

/** Every object that differs, with its hazards, and every foreign rule in danger. */
function differing({ judgement }: JudgedZone): readonly { readonly hazards: readonly Hazard[] }[] {
  return [...("drifted" in judgement ? judgement.drifted : judgement.unlike), ...judgement.foreign];
}

function unchecked({ judgement }: JudgedZone): number {
  return judgement.unread.length + ("underWay" in judgement ? judgement.underWay.length : 0);
}

/**
 * The gauges of a status: hostnames by their status, and what needs a person by its reason. Drift has gauges of its own,
 * so that both files can be collected together.
 */
export function statusMetrics({ project, zones, failed, now }: Looked<ZoneStatus>): readonly Metric[] {
  return [
    {
      name: "status_hostnames",
      help: "Custom hostnames by their status at Cloudflare.",
      samples: zones.flatMap(({ zone, byStatus }) =>
        Object.entries(byStatus).map(([status, value]) => ({ labels: { project, zone: zone.name, status }, value })),
      ),
    },
    {
      name: "status_needs_person",
      help: "Hostnames, certificates and origins that need a person, by a reason that zoneform explain explains.",
      samples: zones.flatMap((status) =>
        attentionOf(status).map(({ reason, names }) => ({
          labels: { project, zone: status.zone.name, reason },
          value: names.length,
        })),
      ),
    },
    {
      name: "status_held_changes",
      help: "Changes that wait until Cloudflare has finished something.",
      samples: zones.map(({ zone, held }) => ({ labels: { project, zone: zone.name }, value: held.length })),
    },
    checkedMetric("status", [
      ...zones.map((each) => sample(project, each.zone.name, unchecked(each) === 0 ? 1 : 0)),
      ...unread(project, failed),
    ]),
    timeMetric("status", project, now),
  ];
}

function sample(project: string, zone: string, value: number): Sample {
  return { labels: { project, zone }, value };
}

function unread(project: string, failed: readonly FailedZone[]): readonly Sample[] {
  return failed.map(({ zone }) => sample(project, zone.name, 0));
}

function checkedMetric(command: string, samples: readonly Sample[]): Metric {
  return { name: `${command}_checked`, help: "Whether the zone could be read and judged completely.", samples };
}

function timeMetric(command: string, project: string, now: number): Metric {
  const samples = [{ labels: { project }, value: Math.floor(now / 1000) }];
  return { name: `${command}_timestamp_seconds`, help: `When zoneform ${command} last ran.`, samples };
}
