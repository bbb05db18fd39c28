import type { Plan } from "../../plan/change.ts";
import { markdownText } from "../escape/markdown.ts";
import { approvalLines, costSentence, failedLines, sinceLines } from "./text.ts";
import { planView, type PlanView } from "../view/view.ts";
import { type Counts, formatHidden, sum, type Redact, countsOf, fit } from "./markdown-fit.ts";
import { planParts } from "./markdown-sections.ts";
import { verdict } from "./verdict.ts";

/** A GitHub comment holds 65,536 characters. The rest is for the line by which a job finds its comment again. */
const COMMENT_LENGTH = 65_280;

/** Enough for the verdict, the hash, all hazards by name and the last sentence of any plan. */
const LEAST_BUDGET = 4096;

/** How many unplanned zones to name before counting the rest: the head of a comment has to fit. */
const MOST_FAILED = 5;

/** How to write a comment. */
export interface MarkdownOptions {
  /** How many characters it may have, at least 4,096; 65,280 by default. */
  readonly budget?: number;
  /** The page that shows the whole plan. Anything but a web address is left out. */
  readonly link?: string;
  /** Removes secrets that got into the plan anyway; the returned text is escaped and measured. */
  readonly redact?: Redact;
}

/**
 * The plan as a comment of a pull request, never longer than the budget: the verdict, the counts, the hazards, what is
 * blocked and found, then the changes, folded by zone and action, and at the end the cost and the hash. Changes that do
 * not fit are left out whole, and counted in the last sentence. Throws `RangeError` for a budget that is too small even
 * for that.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const { budget = COMMENT_LENGTH, link, redact = (text) => text } = options;
  if (!(budget >= LEAST_BUDGET)) throw new RangeError(`a comment has a budget of at least ${LEAST_BUDGET} characters`);
  const view = planView(plan);
  const head = headOf(view, redact);
  const tail = tailOf(view, redact);
  const parts = planParts(view, redact);
  const whole = fit(parts, budget - head.length - tail.length, redact, false);
  if (whole.hidden.size === 0) return head + whole.text + tail;
  const all = sum(parts.flatMap((part) => [...countsOf(part)]));
  const place = placeOf(link, redact);
  const room = budget - head.length - tail.length - ending(all, all, place).length;
  const cut = fit(parts, room, redact, true);
  return head + cut.text + tail + ending(cut.hidden, all, place);
}

/** The verdict as a title, then the zones that could not be read. */
function headOf(view: PlanView, redact: Redact): string {
  const failed = failedLines(view.failed).slice(0, MOST_FAILED);
  return [
    `## ${markdownText(redact(verdict(view)))}`,
    ...[...sinceLines(view.since), ...failed].map(({ text }) => markdownText(redact(text))),
  ]
    .map((paragraph) => `${paragraph}\n`)
    .join("\n");
}

/** The cost, what is left of an approval, and the hash for `apply --expect`; an empty plan has no hash here. */
function tailOf(view: PlanView, redact: Redact): string {
  const cost = view.cost.calls === 0 ? [] : [costSentence(view)];
  const hash = view.isEmpty ? [] : [`Hash of this plan: ${view.hash}`];
  const approved = approvalLines(view).filter(({ indent }) => indent === 0);
  return [...cost, ...approved.map(({ text }) => text), ...hash]
    .map((text) => `\n${markdownText(redact(text))}\n`)
    .join("");
}

/** Where the whole plan is. The filter of secrets checks the link as well: a link that it would change is left out. */
function placeOf(link: string | undefined, redact: Redact): string {
  const target = link === undefined || redact(link) !== link ? undefined : linkTarget(link);
  return target === undefined ? "the text and JSON reports" : `[this run](<${target}>)`;
}

function ending(hidden: Counts, all: Counts, place: string): string {
  return `\n**Not shown here: ${formatHidden(hidden, all)}**; the whole plan is in ${place}\n`;
}

/**
 * How long a link may be. A longer address is not that of a run, and the sentence with the link has to fit even if
 * everything else is left out.
 */
const LONGEST_LINK = 1000;

/** Characters to encode in the target of a link: they could end it or mean something in Markdown. */
const UNSAFE = /[^\w\-.~:/?=%+,;@#&[\]]/g;

/**
 * The target of a link, ready for `[words](<target>)`; undefined if it is no web address, contains credentials, or is
 * too long.
 */
function linkTarget(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const target = url.href.replace(UNSAFE, percent).replaceAll("&", "&amp;");
  return target.length <= LONGEST_LINK ? target : undefined;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
