import type { ApplyReport } from "../../lib/apply/outcome.ts";
import type { Plan } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import type { Ambush } from "./ambush.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import type { Party } from "./ledger.ts";
import { liveNames } from "./kinds.ts";
import { pathInZone, zoneOf } from "./zones.ts";

/** One zone of a run: what the run does in it is judged as if there were no other zone. */
export interface Court {
  readonly stage: Stage;
  readonly party: Party;
  readonly ambush: Ambush;
  /** Foreign acts in this zone before the run began. */
  readonly actsBefore: number;
}

/** The zones of a project. */
export function stagesOf(stage: Stage): readonly Stage[] {
  return stage.beside ? [stage, stage.beside] : [stage];
}

/**
 * Which zone a request concerns. A request about a zone outside the project is a violation, and so is one that names an
 * object of the other zone (invariant 18).
 */
export function courtOf(main: Court, beside: Court | undefined, { method, url }: HttpRequest): Court {
  const zone = zoneOf(url);
  const court = zone !== undefined && zone === beside?.stage.service.id ? beside : main;
  const { ledger, service } = court.stage;
  const wrong = (what: string): void => ledger.blame("I18", `${method} ${url} ${what}`);
  if (zone !== undefined && zone !== service.id) wrong("is about a zone that the project does not have");
  const other = court === main ? beside : main;
  const path = pathInZone(url).split("/");
  if (other && idsIn(other.stage).some((id) => path.includes(id))) wrong("names an object of the other zone");
  return court;
}

/** The part of a plan or a report that concerns the zone of the stage. */
export function partOf<T extends Plan | ApplyReport>({ service, beside, isBeside }: Stage, whole: T): T {
  if (!beside && !isBeside) return whole;
  return { ...whole, zones: whole.zones.filter(({ zone }) => zone.id === service.id) };
}

/** How a run ended in each of its zones. */
export function endsOf(end: RunEnd): readonly (readonly [Stage, RunEnd])[] {
  return end.courts.map(({ stage, party, actsBefore }): readonly [Stage, RunEnd] => [
    stage,
    {
      ...end,
      party,
      actsBefore,
      ...(end.plan ? { plan: partOf(stage, end.plan) } : {}),
      ...(end.report ? { report: partOf(stage, end.report) } : {}),
    },
  ]);
}

/** Ids of the objects that are live in this zone and in no other. */
export function idsIn({ service }: Stage): readonly string[] {
  return liveNames(service).map(({ id }) => id);
}
