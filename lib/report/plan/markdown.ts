import type { Plan } from "../../plan/change.ts";
import { markdownText } from "../escape/markdown.ts";
import { failedLines } from "../lines/sections.ts";
import { planView, type PlanView } from "../view/view.ts";
import { type Counts, formatHidden, sum, type Redact, countsOf, fit } from "./markdown-fit.ts";
import { planParts } from "./markdown-sections.ts";
import { approvalLines, costSentence } from "./text.ts";
import { verdict } from "./verdict.ts";

/** A comment of GitHub's holds 65,536 characters. The rest is for the line by which a job finds its comment again. */
const COMMENT_LENGTH = 65_280;

/** The verdict, the hash, all hazards by name and the last sentence fit into this, whatever the plan. */
const LEAST_BUDGET = 4096;

/** How many zones that could not be planned to name before counting the rest: the head of a comment has to fit. */
const MOST_FAILED = 5;

/** How a comment is written. */
export interface MarkdownOptions {
  /** How many characters it may have, at least 4,096; 65,280 unless told. */
  readonly budget?: number;
  /** The page that shows the whole plan. What is no address of the web is left out. */
  readonly link?: string;
  /** Takes out secrets that got into the plan all the same; the text that comes back is escaped and measured. */
  readonly redact?: Redact;
}

/**
 * The plan as a comment of a pull request, never longer than the budget: the verdict, the counts, the hazards, what is
 * blocked and found, then the changes, folded by zone and action, and at the end the cost and the hash. What does not fit
 * is left out change by change, in whole, and counted in the last sentence. Throws `RangeError` for a budget that holds not
 * even that.
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

/** The verdict as a title, then which zones could not be read. */
function headOf(view: PlanView, redact: Redact): string {
  const failed = failedLines(view.failed).slice(0, MOST_FAILED);
  return [`## ${markdownText(redact(verdict(view)))}`, ...failed.map(({ text }) => markdownText(redact(text)))]
    .map((paragraph) => `${paragraph}\n`)
    .join("\n");
}

/** What it costs, what became of an approval, and the hash that `apply --expect` takes; the hash of nothing is left out. */
function tailOf(view: PlanView, redact: Redact): string {
  const cost = view.cost.calls === 0 ? [] : [costSentence(view)];
  const hash = view.isEmpty ? [] : [`Hash of this plan: ${view.hash}`];
  const approved = approvalLines(view).filter(({ indent }) => indent === 0);
  return [...cost, ...approved.map(({ text }) => text), ...hash]
    .map((text) => `\n${markdownText(redact(text))}\n`)
    .join("");
}

/** Where the whole plan is. The filter of secrets looks at the link as well: one that it would change is none. */
function placeOf(link: string | undefined, redact: Redact): string {
  const target = link === undefined || redact(link) !== link ? undefined : linkTarget(link);
  return target === undefined ? "the text and JSON reports" : `[this run](<${target}>)`;
}

function ending(hidden: Counts, all: Counts, place: string): string {
  return `\n**Not shown here: ${formatHidden(hidden, all)}**; the whole plan is in ${place}\n`;
}

/** A longer address is none of a run; and the sentence with the link has to fit whatever else is left out. */
const LONGEST_LINK = 1000;

/** What stays as it is in the target of a link; everything else could end it or mean something in Markdown. */
const UNSAFE = /[^\w\-.~:/?=%+,;@#&[\]]/g;

/**
 * The target of a link, ready to stand in `[words](<target>)`; undefined for what is no address of the web, what holds
 * credentials, and what is too long.
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
