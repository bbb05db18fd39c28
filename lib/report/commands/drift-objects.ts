import type { Address } from "../../core/brand.ts";
import { bucketed } from "../../core/lists.ts";
import { defined, formatPath } from "../../core/json.ts";
import type { LeafChange } from "../../core/diff.ts";
import { quote } from "../../core/quote.ts";
import { SENSITIVE } from "../../core/secret.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import type { Drifted } from "../../plan/drift.ts";
import {
  columnWidth,
  isSecret,
  leafName,
  LONGEST_BESIDE,
  pairOf,
  reachWords,
  shownLeaves,
} from "../lines/leaf-lines.ts";
import { type Field, type Line, line } from "../lines/lines.ts";
import { namesLine } from "../lines/change-lines.ts";
import { MOST_IN_DANGER, MOST_NAMED, whichObjects } from "../lines/words.ts";
import { formatPair, formatValue } from "../../core/value-words.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { type GroupLeaf, leafKeys } from "../view/group.ts";

/** Objects with the same drift. */
export interface DriftGroup extends Pick<Drifted, "kind" | "what" | "leaves" | "rules" | "hazards" | "waits"> {
  readonly addresses: readonly Address[];
}

/** Changes made outside Zoneform, grouped, deletions first. */
export function groupDrifted(drifted: readonly Drifted[]): DriftGroup[] {
  const keyOf = ({ kind, what, leaves, rules, hazards, waits }: Drifted): string =>
    JSON.stringify([kind, what, hazards, waits, leafKeys(leaves), rules]);
  const groups = [...bucketed(drifted, keyOf).values()].map((bucket): DriftGroup => {
    const [{ kind, what, leaves, rules, hazards, waits }] = bucket;
    const addresses = bucket.map(({ address }) => address);
    return { kind, what, leaves, rules, hazards, addresses, ...defined({ waits }) };
  });
  return groups.sort((left, right) => ORDER.indexOf(left.what) - ORDER.indexOf(right.what));
}

const ORDER: readonly Drifted["what"][] = ["deleted", "vanished", "replaced", "changed"];

/** One group, below the heading of its zone: its name, then its changes, field by field and rule by rule. */
export function groupLines({ kind, what, leaves, rules, waits, addresses }: DriftGroup): Line[] {
  const style = what === "changed" ? "warn" : "bad";
  const verb = HAPPENED[what];
  return [
    line(2, `${whichObjects(kind, addresses)}${verb[addresses.length === 1 ? 0 : 1]}`, style),
    ...(addresses.length === 1
      ? []
      : [namesLine(6, addresses, what === "deleted" || what === "vanished" ? MOST_IN_DANGER : MOST_NAMED)]),
    ...driftLeafLines(leaves, 6),
    ...rules.flatMap(ruleEventLines),
    ...(waits === undefined ? [] : [line(6, `an apply can restore this only later: ${waits}`, "quiet")]),
  ];
}

/** What happened to one object, and to several. The lines below name the changes. */
const HAPPENED = {
  deleted: [" was deleted", " were deleted"],
  vanished: [" is gone, deleted by Cloudflare or by hand", " are gone, deleted by Cloudflare or by hand"],
  replaced: [
    " was deleted, and created again under the same name",
    " were deleted, and created again under the same name",
  ],
  changed: ["", ""],
} as const satisfies Record<Drifted["what"], readonly [one: string, many: string]>;

/** The applied value, the live one, and the declared one if it is a third. */
function driftLeafLines(leaves: readonly LeafChange[], indent: number): Line[] {
  const shown = leaves.flatMap((leaf) => shownLeaves(leaf, "prior", "before"));
  const width = columnWidth(shown.map(leafName));
  return shown.flatMap((leaf) => leafLines(leaf, width, indent));
}

function leafLines(leaf: GroupLeaf, width: number, indent: number): Line[] {
  const { cause, prior, before, after } = leaf;
  const name = leafName(leaf);
  if (isSecret(leaf)) {
    const field: Field = { name, after: `was changed ${SENSITIVE}` };
    return [{ ...line(indent, `${name.padEnd(width)}  was changed ${SENSITIVE}`), field }];
  }
  const [applied, now] = formatPair(prior, before);
  const declared = cause === "both" ? [formatValue(after)] : [];
  const reach = reachWords({ ...leaf, ...defined({ before: prior, after: before }) });
  const remark = reach === undefined ? "" : `  ${reach}`;
  const field: Field = { name, before: applied, after: now, ...defined({ remark: reach }) };
  if ([applied, now, ...declared].every((value) => value.length <= LONGEST_BESIDE)) {
    const said = [`applied ${applied}`, `now ${now}`, ...declared.map((value) => `YAML says ${value}`)].join(", ");
    const beside = [...(reach === undefined ? [] : [reach]), ...declared.map((value) => `YAML says ${value}`)];
    const whole = beside.length === 0 ? field : { ...field, remark: beside.join(", ") };
    return [{ ...line(indent, `${name.padEnd(width)}  ${said}${remark}`), field: whole }];
  }
  return [
    { ...line(indent, `${name}${remark}`), field },
    ...pairOf(leaf)(applied, now, indent + 4, { marks: ["- applied    ", "+ now        "] }).map((each): Line => ({
      ...each,
      isDetail: true,
    })),
    ...declared.map((value) => line(indent + 4, `  YAML says  ${value}`)),
  ];
}

const EVENT_STYLES = {
  added: "bad",
  removed: "bad",
  moved: "warn",
  edited: "warn",
  enabled: "warn",
  disabled: "bad",
  ahead: "bad",
  behind: "warn",
} as const satisfies Record<RuleEvent["what"], Line["style"]>;

/** What happened to a rule: `#2 sec/managed was disabled`, or `sec/managed moved from #3 to #1`. */
function ruleEventLines(event: RuleEvent): Line[] {
  return [line(6, eventSentence(event), EVENT_STYLES[event.what]), ...eventDetails(event)];
}

function eventSentence(event: RuleEvent): string {
  const { what, from, to } = event;
  const name = what === "added" ? addedName(event) : event.ref;
  if (what === "ahead" || what === "behind") return inTheWay(event);
  if (what === "moved") return `${name} was moved from #${from ?? "?"} to #${to ?? "?"}`;
  return `#${to ?? from ?? "?"} ${name} was ${what === "edited" ? "changed" : what}`;
}

/** A foreign rule where the YAML puts ours, described by what it does. */
function inTheWay({ what, to, title }: RuleEvent): string {
  const where =
    what === "ahead"
      ? "ahead of your rules, and the YAML puts yours first"
      : "behind your rules, and the YAML puts yours last";
  return `#${to ?? "?"} is a foreign rule ${where}: ${title}`;
}

/** A foreign rule, with its description, because its ref is in no YAML. */
function addedName({ ref, title }: RuleEvent): string {
  return title === ref ? ref : `${ref} (${quote(shortTitle(title))})`;
}

function eventDetails({ what, leaves }: RuleEvent): Line[] {
  if (what === "edited") return driftLeafLines(leaves, 10);
  if (what !== "added") return [];
  const shown = leaves.filter(({ path }) => path[0] === "action" || path[0] === "expression");
  return shown.map((leaf) =>
    line(10, `${formatPath(leaf.path).padEnd(10)}  ${isSecret(leaf) ? SENSITIVE : formatValue(leaf.before)}`),
  );
}
