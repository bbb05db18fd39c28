import { affectedLines } from "../lines/change-lines.ts";
import type { ApplyReport, Outcome } from "../../apply/outcome.ts";
import type { Position } from "../../core/diagnostic.ts";
import { defined } from "../../core/json.ts";
import { listed } from "../../core/words.ts";
import type { ZoneStatus } from "../../engine/hostnames/status.ts";
import { HAZARD_MEANINGS } from "../../kinds/hazards.ts";
import type { Change, FailedZone, Plan, Refused } from "../../plan/change.ts";
import { allLeaves } from "../../plan/write.ts";
import { firstNames, fullName, MOST_NAMED, whichObjects } from "../lines/words.ts";
import { ACTION_WORDS } from "../lines/marks.ts";
import { type Annotation, annotationOf } from "../printers/github.ts";
import { OUTCOME_STATUSES } from "../run/report-json.ts";
import { attentionOf } from "./attention.ts";
import type { JudgedZone } from "./metrics.ts";
import { type Found, foundUnlike, foundViews } from "./found.ts";
import type { ChangeGroup } from "./group.ts";
import type { Affected, HazardView } from "./hazards.ts";
import { everySection, planView } from "./view.ts";

/** How many findings of one code to show: a large zone has thousands of undeclared hostnames. */
const MOST_ALIKE = 3;

/**
 * What a job shows about a plan, worst first: zones that could not be planned, hazards beside the place that decides
 * them, what was done outside Zoneform, blocked changes, findings.
 */
export function planAnnotations(plan: Plan): readonly Annotation[] {
  const view = planView(plan);
  const zones = everySection(view).flatMap((section) => section.zones);
  const changes = plan.zones.flatMap((zone) => zone.changes);
  const places = new Map(changes.map((change) => [change.address, placeOf(change)]));
  const at = (addresses: readonly Change["address"][]): Position | undefined =>
    addresses.map((address) => places.get(address)).find((place) => place !== undefined);
  return [
    ...failedAnnotations(plan.failed ?? []),
    ...hazardAnnotations([...view.hazards, ...(view.since?.hazards ?? [])], at),
    ...hazardAnnotations(view.found),
    ...zones.flatMap(({ refused, contested }) =>
      [...refused, ...contested].map((group) => blockedAnnotation(group, at(group.addresses))),
    ),
    ...zones.flatMap(({ findings }) =>
      findings.flatMap((group) => group.findings.slice(0, MOST_ALIKE).map(annotationOf)),
    ),
  ];
}

/** The place that decides a change: of its first rule or value that has one, else of the object. */
function placeOf(change: Change): Position | undefined {
  const { rules, at } = change;
  const places = [...rules.map((rule) => rule.at), ...allLeaves(change).map(({ origin }) => origin?.at), at];
  return places.find((place) => place !== undefined);
}

function failedAnnotations(failed: readonly FailedZone[]): readonly Annotation[] {
  return failed.flatMap(({ at, diagnostics }) => diagnostics.map((each) => ({ at, ...annotationOf(each) })));
}

/** An annotation for each group of objects for which a hazard means the same. A danger is an error. */
function hazardAnnotations(
  hazards: readonly HazardView[],
  placeOf: (addresses: Affected["addresses"]) => Position | undefined = () => undefined,
): readonly Annotation[] {
  return hazards.flatMap(({ hazard, affected }) =>
    affected
      .filter(({ named }) => named > 0)
      .map((each) => ({
        severity: HAZARD_MEANINGS[hazard].mark === "DANGER" ? ("error" as const) : ("warning" as const),
        title: hazard,
        lines: affectedLines(each).map(({ text }, index) => (index === 0 ? text.replace(/^\S+ +/, "") : text)),
        ...defined({ at: each.decider?.at ?? placeOf(each.addresses) }),
      })),
  );
}

function blockedAnnotation({ action, kind, addresses, refused }: ChangeGroup, at: Position | undefined): Annotation {
  const { code, message, remedy, commands = [] }: Partial<Refused> = refused ?? {};
  const names = addresses.length === 1 ? [] : [firstNames(addresses, MOST_NAMED)];
  return {
    severity: "error",
    title: code ?? "blocked",
    lines: [
      `${ACTION_WORDS[action]} ${whichObjects(kind, addresses)}, blocked: ${message ?? ""}`,
      ...names,
      ...(remedy === undefined ? [] : [remedy]),
      ...commands,
    ],
    ...defined({ at }),
  };
}

/** What a job shows about changes made outside Zoneform, zone by zone, and about what could not be checked. */
export function driftAnnotations(zones: readonly JudgedZone[], failed: readonly FailedZone[]): readonly Annotation[] {
  const found = zones.flatMap(({ judgement }) => foundIn(judgement));
  const foreign = zones.flatMap(({ judgement }) => judgement.foreign);
  return [
    ...failedAnnotations(failed),
    ...hazardAnnotations(foundViews(found, foreign)),
    ...zones.flatMap(harmlessAnnotations),
    ...zones.flatMap(uncheckedAnnotations),
  ];
}

function foundIn(judgement: JudgedZone["judgement"]): readonly Found[] {
  return "drifted" in judgement ? judgement.drifted : judgement.unlike.map(foundUnlike);
}

function harmlessAnnotations({ zone, judgement }: JudgedZone): readonly Annotation[] {
  const addresses = foundIn(judgement).flatMap(({ address, hazards }) => (hazards.length === 0 ? [address] : []));
  if (addresses.length === 0) return [];
  const differ = addresses.length === 1 ? "object differs" : "objects differ";
  const than = "drifted" in judgement ? "what was applied" : "the YAML";
  const text = `${zone.name}: ${addresses.length} ${differ} from ${than}, without danger`;
  return [{ severity: "warning", title: "drift", lines: [text, firstNames(addresses, MOST_NAMED)] }];
}

function uncheckedAnnotations({ zone, judgement }: JudgedZone): readonly Annotation[] {
  const underWay = "underWay" in judgement ? judgement.underWay : [];
  const names = [...underWay.map(({ address }) => fullName(address)), ...judgement.unread];
  if (names.length === 0) return [];
  return [
    {
      severity: "warning",
      title: "not-checked",
      lines: [`${zone.name}: not everything could be checked`, listed(names, MOST_NAMED)],
    },
  ];
}

/** What a job shows about the status of zones: what was changed outside Zoneform, then everything that needs a person. */
export function statusAnnotations(zones: readonly ZoneStatus[], failed: readonly FailedZone[]): readonly Annotation[] {
  const judged = zones.filter(({ judgement }) => "drifted" in judgement || !judgement.isBare);
  return [
    ...driftAnnotations(judged, failed),
    ...zones.flatMap((status) =>
      attentionOf(status)
        .filter(({ names }) => names.length > 0)
        .map(({ reason, names }): Annotation => {
          const lines = [`${status.zone.name}: ${listed(names, MOST_NAMED)}`, `zoneform explain ${reason}`];
          return { severity: "warning", title: reason, lines };
        }),
    ),
  ];
}

/** What a job shows about an apply: why it stopped, then every change that is not done, those that need a person first. */
export function applyAnnotations({ zones }: ApplyReport): readonly Annotation[] {
  const ended = zones.flatMap((zone) => zone.ended);
  return [
    ...zones.flatMap(({ locked, stopped, unsaved }) =>
      [locked, ...(stopped?.diagnostics ?? []), unsaved].flatMap((each) =>
        each === undefined ? [] : [annotationOf(each)],
      ),
    ),
    ...OUTCOME_STATUSES.flatMap((status) =>
      ended.flatMap(({ address, outcome }) => (outcome.status === status ? outcomeAnnotations(address, outcome) : [])),
    ),
  ];
}

function outcomeAnnotations(address: string, outcome: Outcome): readonly Annotation[] {
  switch (outcome.status) {
    case "failed":
    case "unknown":
    case "unconfirmed":
    case "conflict":
      return [annotationOf({ address, ...outcome.diagnostic, severity: "error" })];
    case "refused": {
      const { code, message, remedy, commands } = outcome.refused;
      return [annotationOf({ severity: "error", code, message, remedy, address, ...defined({ commands }) })];
    }
    case "done":
    case "held":
    case "not-started":
      return [];
    default:
      return outcome satisfies never;
  }
}
