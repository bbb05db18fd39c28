import type { Ended } from "../../lib/apply/outcome.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { SIM_KINDS } from "./kinds.ts";
import type { Effect } from "./ledger.ts";
import { runText } from "../support/texts.ts";

/**
 * A report says what was written: it never calls a write that took effect failed or skipped, it reports what a ruleset
 * lost, and its headline does not say that nothing was applied (invariant 16). A write whose answer was lost may be
 * called unknown.
 */
export function judgeWords({ ledger }: Stage, { plan, report, party }: RunEnd): void {
  if (!report || (party.effects.length === 0 && party.overwrote.size === 0)) return;
  const changes = new Map(plan?.zones.flatMap((section) => section.changes).map((each) => [each.address, each]));
  let hasWritten = false;
  for (const ended of report.zones.flatMap((zone) => zone.ended)) {
    const change = changes.get(ended.address);
    const effects = change ? party.effects.filter((effect) => isOf(effect, change)) : [];
    const untrue = effects.find((effect) => isDenied(ended, effect));
    const name = `${ended.action} ${ended.address}`;
    if (untrue)
      ledger.blame("I16", `${name} is called ${ended.outcome.status}, and its ${untrue.write.verb} took effect`);
    if (effects.some(({ isHeard }) => isHeard) && ended.outcome.status !== "unknown") hasWritten = true;
    if (change && SIM_KINDS[change.kind].showsLosses && party.overwrote.has(change.kind) && !isTold(ended))
      ledger.blame("I16", `${name} is called ${ended.outcome.status}, and it took somebody else's edit with it`);
  }
  const [headline = ""] = runText(report, { colour: false }).split("\n");
  if (hasWritten && NOTHING_APPLIED.test(headline))
    ledger.blame("I16", `the headline is "${headline}", and there was a write`);
}

/** A headline that denies every write; where a result is not known it says "for certain". */
const NOTHING_APPLIED = /applied (?:nothing|none of [\d,]+ changes?(?! for certain))\b/i;

function isOf({ write }: Effect, { kind, key, id }: Change): boolean {
  // Packs may share their names; a deletion concerns one id.
  if (write.verb === "delete" && write.id !== undefined && id !== undefined && write.id !== id) return false;
  // An object that was replaced by creating first is known by its key with its id.
  return write.kind === kind && [write.key, `${write.key}#${write.id ?? ""}`].includes(key);
}

/** Whether a report denies a write that took effect. */
function isDenied({ outcome }: Ended, { isHeard }: Effect): boolean {
  switch (outcome.status) {
    case "done":
    case "unknown":
    case "unconfirmed":
      return false;
    case "failed":
      return outcome.hasWritten !== true;
    case "conflict":
      // A run that lost the answer finds what somebody made of the object since, and cannot tell.
      return isHeard && outcome.hasWritten === undefined;
    case "refused":
    case "held":
    case "not-started":
      return true;
    default:
      return outcome satisfies never;
  }
}

/** Whether a loss is reported, or the write is reported as unknown. */
function isTold({ outcome }: Ended): boolean {
  if (outcome.status === "unknown" || outcome.status === "unconfirmed") return true;
  return outcome.status === "conflict" && outcome.diagnostic.code === "overwrote-another-write";
}
