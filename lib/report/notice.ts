import type { ApplyReport } from "../apply/outcome.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { defined, type Json, type JsonObject } from "../core/json.ts";
import { thousands } from "../core/words.ts";
import type { FailedZone, ForeignDanger, Plan } from "../plan/change.ts";
import { FORMAT_VERSION } from "./escape/json.ts";
import { slackText } from "./escape/slack.ts";
import { fullName } from "./lines/words.ts";
import { outcomeCounts } from "./run/report-json.ts";
import { runReport } from "./run/report.ts";
import type { Report } from "./sections/report.ts";
import { type Found, foundViews } from "./view/found.ts";
import { dangersOf, type HazardView, viewHazards } from "./view/hazards.ts";

/** What a webhook gets of a drift check or an apply: what a person needs to decide whether to get up. */
export interface Notice {
  readonly event: "drift" | "apply";
  readonly project?: string;
  /** The first sentence of the report. */
  readonly verdict: string;
  readonly exitCode: number;
  /** The worst first. */
  readonly hazards: readonly (Counted & { readonly hazard: string })[];
  /** The objects that drifted. */
  readonly objects?: Counted;
  /** The changes of an apply that did not end as done. */
  readonly failed?: Counted;
  /** How the changes of an apply ended. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The id of the apply. */
  readonly run?: string;
  /** The page of the CI run. */
  readonly runUrl?: string;
}

/** A number of things, and the names of the first of them. */
interface Counted {
  readonly count: number;
  readonly names: readonly string[];
}

/** How many names a notice has of each list. */
const MOST_NAMES = 5;

/** How long a name may be: a rule is named by what it does. */
const LONGEST_NAME = 120;

/** What a drift check found, or a comparison with the YAML alone. */
export interface Checked {
  readonly project: string;
  /** What was found, for people; undefined if no zone could be checked. */
  readonly report: Report | undefined;
  readonly found: readonly Found[];
  readonly foreign: readonly ForeignDanger[];
  readonly failed: readonly FailedZone[];
}

/** A notice of a drift check. */
export function driftNotice({ project, report, found, foreign, failed }: Checked, exitCode: number): Notice {
  if (report === undefined)
    return notCheckedNotice(
      failed.flatMap(({ diagnostics }) => diagnostics),
      exitCode,
      project,
    );
  const names = [
    ...found.map(({ address }) => fullName(address)),
    ...foreign.map(({ address, ref }) => `${fullName(address)} rule ${ref}`),
  ];
  return {
    event: "drift",
    project,
    verdict: report.verdict.text,
    exitCode,
    hazards: hazardCounts(foundViews(found, foreign)),
    objects: counted(names),
  };
}

/** A notice of a drift check that looked at nothing, with the first reason. */
export function notCheckedNotice([first]: readonly Diagnostic[], exitCode: number, project?: string): Notice {
  const why = first === undefined ? "" : `: ${first.message}`;
  return {
    event: "drift",
    ...defined({ project }),
    verdict: `Drift could not be checked${why}.`,
    exitCode,
    hazards: [],
  };
}

/** A notice of an apply that has ended, however it ended. */
export function applyNotice(plan: Plan, report: ApplyReport, exitCode: number, seconds: number): Notice {
  const ended = report.zones.flatMap((zone) => zone.ended);
  const failed = ended.filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held");
  const { "not-started": notStarted, ...counts } = outcomeCounts(ended);
  return {
    event: "apply",
    project: plan.project,
    verdict: runReport(report, { seconds }).verdict.text,
    exitCode,
    hazards: hazardCounts(viewHazards(dangersOf(plan))),
    failed: counted(failed.map(({ address }) => fullName(address))),
    counts: { ...counts, not_started: notStarted },
    run: report.run,
  };
}

function counted(names: readonly string[]): Counted {
  return { count: names.length, names: names.slice(0, MOST_NAMES).map(cut) };
}

function hazardCounts(views: readonly HazardView[]): Notice["hazards"] {
  return views.map(({ hazard, count, affected }) => {
    const names = affected.flatMap(({ words, addresses }) =>
      words.subject === undefined ? addresses.map(fullName) : [words.subject],
    );
    return { hazard, ...counted(names), count };
  });
}

function cut(text: string): string {
  if (text.length <= LONGEST_NAME) return text;
  // Without the first half of a character whose second half was cut off.
  return `${text.slice(0, LONGEST_NAME).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A notice for programs. */
export function noticeDocument({ exitCode, runUrl, hazards, ...notice }: Notice): JsonObject {
  const { event, project, verdict, objects, failed, counts, run } = notice;
  const list = (of: Counted | undefined): Json | undefined => of && { ...of };
  return {
    format_version: FORMAT_VERSION,
    event,
    ...defined({ project }),
    verdict,
    exit_code: exitCode,
    hazards: hazards.map((each) => ({ ...each })),
    ...defined({ objects: list(objects), failed: list(failed), counts, run, run_url: runUrl }),
  };
}

/** A notice for Slack and what takes its format. No value in it is a mention, a link or markup. */
export function noticeForSlack(notice: Notice): JsonObject {
  const { verdict, hazards, objects, failed, run, runUrl } = notice;
  const lines = [
    verdict,
    ...hazards.map((each) => `${each.hazard}: ${list(each)}`),
    ...(objects && objects.count > 0 ? [`changed: ${list(objects)}`] : []),
    ...(failed && failed.count > 0 ? [`not done: ${list(failed)}`] : []),
    ...(run === undefined ? [] : [`run ${run}`]),
  ];
  const text = fitting(lines.join("\n"));
  const link = runUrl === undefined ? undefined : linkTo(runUrl);
  return {
    text,
    mrkdwn: false,
    parse: "none",
    link_names: false,
    unfurl_links: false,
    blocks: [
      { type: "section", text: { type: "plain_text", text, emoji: false } },
      ...(link === undefined ? [] : [{ type: "section", text: { type: "mrkdwn", text: link, verbatim: true } }]),
    ],
  };
}

/** A block of Slack holds 3,000 characters, as they are after escaping. */
const LONGEST_BLOCK = 3000;

function fitting(text: string): string {
  const escaped = slackText(text);
  return escaped.length <= LONGEST_BLOCK ? escaped : fitting(`${text.slice(0, Math.floor(text.length * 0.9) - 1)}…`);
}

function list({ count, names }: Counted): string {
  const more = count > names.length ? ` and ${thousands(count - names.length)} more` : "";
  return `${thousands(count)} (${names.join(", ")}${more})`;
}

/** A link in Slack's markup; undefined for an address that could be read as more than one. */
function linkTo(address: string): string | undefined {
  return /^https?:\/\/[\w.:/%?=+~-]+$/.test(address) ? `<${address}|CI run>` : undefined;
}
