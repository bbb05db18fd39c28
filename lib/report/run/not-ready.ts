import { formatAddress } from "../../core/address.ts";
import { bucketed } from "../../core/bucketed.ts";
import type { NotReady } from "../../apply/wait.ts";
import { type Line, line, printLines, type Printing } from "../lines/lines.ts";

/** How many objects that wait for the same to name before counting the rest. */
const MOST_NAMED = 20;

/** How a wait ended: all serve, or those that do not, by reason, with what to do about it. */
export function notReadyText(ready: number, notReady: readonly NotReady[], printing: Printing): string {
  if (notReady.length === 0) return printLines([line(0, `Ready: all ${ready} serve`, "good")], printing);
  const lines: Line[] = [
    line(0, `Not ready: ${notReady.length} of ${ready + notReady.length} do not serve yet`, "bad"),
  ];
  for (const group of groupsOf(notReady)) {
    const [first] = group;
    if (!first) continue;
    lines.push(line(0, first.reason), line(4, first.remedy, "quiet"));
    for (const { zone, kind, key } of group.slice(0, MOST_NAMED)) {
      lines.push(line(4, formatAddress({ zone, kind, ...(key === "" ? {} : { key }) })));
    }
    if (group.length > MOST_NAMED) lines.push(line(4, `and ${group.length - MOST_NAMED} more`));
  }
  return printLines(lines, printing);
}

function groupsOf(notReady: readonly NotReady[]): readonly (readonly NotReady[])[] {
  return [...bucketed(notReady, ({ reason, remedy }) => `${reason}\0${remedy}`).values()];
}
