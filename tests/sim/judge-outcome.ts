import type { Ended } from "../../lib/apply/outcome.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { liveNames, SIM_KINDS } from "./kinds.ts";

/**
 * What a report calls done must be true: each change that ended as done is compared with what the service really keeps.
 * Only for a run without foreign acts.
 */
export function judgeOutcome(stage: Stage, { plan, report, actsBefore, party }: RunEnd): void {
  // Also for a killed run: it may have released what it planned to.
  for (const section of party.plan?.zones ?? []) {
    for (const { action, id } of section.changes) {
      if (action !== "forget" || id === undefined) continue;
      stage.ledger.released.add(id);
      stage.ledger.shielded.delete(id);
    }
  }
  noteUnanswered(stage, party, report);
  const isQuiet = stage.ledger.outsideActs === actsBefore && !party.sawStale;
  for (const zone of report?.zones ?? []) {
    for (const ended of zone.ended) {
      const change = plan?.zones[0]?.changes.find(({ address }) => address === ended.address);
      if (!change || ended.outcome.status !== "done") continue;
      // The next run adopts again what could not be saved.
      const isSaved = zone.unsaved === undefined;
      if (change.action === "adopt" && !change.undeclared && isSaved && ended.id !== undefined)
        stage.ledger.ours.add(ended.id);
      if (change.protect && ended.id !== undefined) stage.ledger.shielded.add(ended.id);
      // Another run that was under way wrote it later: what is live by now is that one's.
      const writer = stage.ledger.lastWriters.get(`${change.kind} ${change.key}`);
      if (writer && writer !== party) continue;
      if (isQuiet || isSeenSince(stage, party, change)) judgeDone(stage, change, ended);
    }
  }
}

/** Somebody touched it, but before the run last looked: then the run has to know. */
function isSeenSince({ ledger }: Stage, party: RunEnd["party"], { kind, key }: Change): boolean {
  const touched = ledger.touched.get(key) ?? -Infinity;
  return SIM_KINDS[kind].isFollowed === true && touched < (party.shown.get(key) ?? -Infinity) && !party.sawStale;
}

function noteUnanswered({ ledger, service }: Stage, party: RunEnd["party"], report: RunEnd["report"]): void {
  const [zone] = report?.zones ?? [];
  const ended = zone?.unsaved ? [] : (zone?.ended ?? []);
  const done = new Set(ended.flatMap(({ id, outcome }) => (outcome.status === "done" ? [id] : [])));
  for (const { kind, id, name } of liveNames(service)) {
    if (party.created.has(`${kind} ${name}`) && !done.has(id)) ledger.unanswered.add(id);
  }
}

function judgeDone({ service, ledger }: Stage, change: Change, { action, address }: Ended): void {
  for (const what of SIM_KINDS[change.kind].untrue(service, change))
    ledger.blame("I12", `${action} ${address} is called done, and ${what}`);
}
