import { counted, thousands } from "../../core/words.ts";
import type { KeptDrift } from "../../engine/keep-drift.ts";
import { line } from "../lines/lines.ts";
import { fileDiff } from "../lines/text-diff.ts";
import { foundViews } from "../view/found.ts";
import { objectName } from "../lines/words.ts";
import { hazardSections } from "../sections/plan.ts";
import { plainSection, type Report } from "../sections/report.ts";

/** What `drift --write` is about to write: the dangers of what is kept, what cannot be kept and why, and the new lines. */
export function keptReport({ project, zones, files, kept, notKept }: KeptDrift): Report {
  const addresses = new Set<string>(kept.map(({ address }) => address));
  const drifted = zones.flatMap(({ judgement }) => judgement.drifted.filter(({ address }) => addresses.has(address)));
  const all = zones.reduce((sum, { judgement }) => sum + judgement.drifted.length, 0);
  const what = `${thousands(kept.length)} of ${counted(all, "changed object")} can be declared as live`;
  const reasons = notKept.map(({ address, field, reason }) =>
    line(2, `${objectName(address)}${field === undefined ? "" : ` ${field}`}: ${reason}`, "warn"),
  );
  return {
    verdict: line(0, `Drift in project ${project}: ${what}.`, "heading"),
    sections: [
      ...hazardSections(foundViews(drifted)),
      ...plainSection(reasons, "blocked", line(0, "Not written:", "heading")),
      ...files.flatMap(({ name, before, after }) => plainSection(fileDiff(name, before, after), "changes")),
    ],
  };
}
