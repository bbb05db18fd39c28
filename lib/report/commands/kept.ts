import { counted, thousands } from "../../core/words.ts";
import type { KeptDrift } from "../../engine/keep-drift.ts";
import { hazardLines } from "../lines/change-lines.ts";
import { appendSection, type Line, line } from "../lines/lines.ts";
import { fileDiff } from "../lines/text-diff.ts";
import { foundViews } from "../view/found.ts";
import { objectName } from "../lines/words.ts";

/** What `drift --write` is about to write: the dangers of what is kept, what cannot be kept and why, and the new lines. */
export function keptLines({ project, zones, files, kept, notKept }: KeptDrift): Line[] {
  const addresses = new Set<string>(kept.map(({ address }) => address));
  const drifted = zones.flatMap(({ judgement }) => judgement.drifted.filter(({ address }) => addresses.has(address)));
  const lines: Line[] = [];
  const all = zones.reduce((sum, { judgement }) => sum + judgement.drifted.length, 0);
  const what = `${thousands(kept.length)} of ${counted(all, "changed object")} can be declared as live`;
  appendSection(lines, [line(0, `Drift in project ${project}: ${what}.`, "heading")]);
  appendSection(lines, hazardLines(foundViews(drifted)));
  if (notKept.length > 0) {
    appendSection(lines, [
      line(0, "Not written:", "heading"),
      ...notKept.map(({ address, field, reason }) =>
        line(2, `${objectName(address)}${field === undefined ? "" : ` ${field}`}: ${reason}`, "warn"),
      ),
    ]);
  }
  for (const { name, before, after } of files) appendSection(lines, fileDiff(name, before, after));
  return lines;
}
