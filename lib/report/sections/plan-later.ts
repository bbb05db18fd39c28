import { bucketed } from "../../core/lists.ts";
import { shellQuoted } from "../../core/quote.ts";
import { counted } from "../../core/words.ts";
import { isHostname } from "../../kinds/registry.ts";
import type { Change, Plan } from "../../plan/change.ts";
import { commandLine, line } from "../lines/lines.ts";
import { firstNames, MOST_NAMED, throughOf } from "../lines/words.ts";
import type { Section } from "./report.ts";

/** How many customers must set records once the plan is applied, and the command that lists the records. */
export function customerSections({ zones }: Plan): Section[] {
  const having = zones.flatMap(({ zone, changes }) =>
    changes.filter(needsCustomer).map((change) => ({ zone: zone.name, change })),
  );
  if (having.length === 0) return [];
  const noun = having.every(({ change }) => isHostname(change.kind)) ? "hostname" : "object";
  const need = having.length === 1 ? "needs DNS records from its customer" : "need DNS records from their customers";
  const names = [...new Set(having.map(({ zone }) => zone))];
  const lines = [
    line(0, `${counted(having.length, noun)} ${need}; after the apply, to list them for each customer:`),
    commandLine(2, `zoneform hostname todo${names.map((name) => ` --zone ${shellQuoted(name)}`).join("")}`),
  ];
  return [{ items: [{ lines }], rank: "rest" }];
}

function needsCustomer({ hazards, refused, action }: Change): boolean {
  return hazards.includes("needs-customer") && refused === undefined && action !== "held";
}

/** What the plan sets only until a day, in the order of the days: an exception ends, and the next apply reverts it. */
export function laterSections({ zones }: Plan): Section[] {
  const ends = zones
    .flatMap(({ changes }) => changes)
    .filter(({ refused }) => refused === undefined)
    .flatMap(({ address, leaves }) => {
      const found = leaves.flatMap(({ origin }) =>
        origin?.until === undefined ? [] : [`${origin.until}: ${throughOf(origin) ?? "an exception"}`],
      );
      return [...new Set(found)].map((end) => ({ end, address }));
    });
  const lines = [...bucketed(ends, ({ end }) => end)]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([end, group]) => {
      const names = firstNames(
        group.map(({ address }) => address),
        MOST_NAMED,
      );
      return line(2, `${end} ends for ${names}; the next apply after that day sets what the policies say`);
    });
  if (lines.length === 0) return [];
  return [{ title: line(0, "Later", "heading"), items: [{ lines }], rank: "rest" }];
}
