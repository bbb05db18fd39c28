import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Position, problem, refusal } from "../lib/core/diagnostic.ts";
import { type Annotation, githubText, MOST_DISPLAYED } from "../lib/report/printers/github.ts";
import { reportPage } from "../lib/report/printers/html.ts";
import { FLAVOURS, type Flavour, type MarkdownOptions, reportMarkdown } from "../lib/report/printers/markdown.ts";
import { reportText } from "../lib/report/printers/text.ts";
import type { Report } from "../lib/report/sections/report.ts";
import { defined } from "../lib/core/json.ts";
import { moment } from "../lib/core/moment.ts";
import { realClock } from "../lib/real/clock.ts";
import { lineUrlOf, runUrlOf } from "../lib/real/world.ts";
import { completing, type Context } from "./context.ts";
import type { Where } from "./printed-commands.ts";
import { type ReportFormat, REPORTS } from "./report-formats.ts";
import type { ProjectFlags, Reporting } from "./flags.ts";
import { writeOutput } from "./output-file.ts";
import { redactedLines } from "./streams.ts";

/** A command that takes `--report`. */
export type Reported = keyof typeof REPORTS;

/** A format of a command's reports. */
type FormatOf<Command extends Reported> = (typeof REPORTS)[Command][number];

/** One format's file. */
export interface ReportFile<Command extends Reported> {
  readonly format: FormatOf<Command>;
  readonly file: string;
}

/** Prints the result of a command in each of its formats; a format that is forgotten does not compile. */
export type Printers<Command extends Reported> = Readonly<Record<FormatOf<Command>, () => string | Promise<string>>>;

/**
 * Reads the values of `--report FORMAT=FILE`; `-` is standard output. Throws `Refusal` for any other form, and for a
 * format that the command does not have.
 */
export function reportsOf<Command extends Reported>(
  command: Command,
  values: readonly string[] = [],
): readonly ReportFile<Command>[] {
  const formats: readonly FormatOf<Command>[] = REPORTS[command];
  return values.map((value) => {
    const [, word, file] = /^([^=]+)=(.+)$/s.exec(value) ?? [];
    const format = formats.find((each) => each === word);
    if (format !== undefined && file !== undefined) return { format, file: file === "-" ? STANDARD_OUTPUT : file };
    throw refusal(problem("not-a-report", { value: JSON.stringify(value), command, formats: formats.join(", ") }));
  });
}

/** The reports of a command that writes: those of `--report`, and the file of `--json-file`. */
export function applyReports({ report, jsonFile }: Reporting): readonly ReportFile<"apply">[] {
  return [
    ...reportsOf("apply", report),
    ...(jsonFile === undefined ? [] : [{ format: "json" as const, file: jsonFile }]),
  ];
}

const STANDARD_OUTPUT = "/dev/stdout";

/** Writes each report to its file, without secrets. Throws `Refusal` if the disk refuses. */
export async function writeReports<Command extends Reported>(
  context: Context,
  reports: readonly ReportFile<Command>[],
  printers: Printers<Command>,
): Promise<void> {
  for (const { format, file } of reports) {
    const text = (await printers[format]()).replace(/\n$/, "");
    const lines = text === "" ? [] : [text];
    // A page is compressed, and names the hash of its script: its printer removes secrets itself.
    await writeOutput(context, file, format === "html" ? lines : redactedLines(context, lines));
  }
}

/** The formats that print any report. A job finds its comment again by the marker, which is not displayed. */
export function reportPrinters(
  context: Context,
  flags: Where & PlaceFlags,
  report: Report,
  marker: string,
): Record<ReportFormat, () => string | Promise<string>> {
  return {
    text: () => reportText(report, { colour: false, complete: completing(flags) }),
    ...commentPrinters(context, flags, (options) => reportMarkdown(report, { marker, ...options })),
    html: () => pageText(context, flags, report, marker),
  };
}

/** The page of a report, without secrets, with links to the files of the commit if this is a job. */
export function pageText(context: Context, flags: Where & PlaceFlags, report: Report, title: string): Promise<string> {
  return reportPage(report, {
    title,
    madeAt: moment(new Date(realClock.now()).toISOString()),
    complete: completing(flags),
    linkTo: linksFrom(context, flags),
    redact: (text) => context.redaction.redact(text),
  });
}

/**
 * Returns the web address of a place in a file of the project, if this is a job. A job may have checked out another
 * commit than the one that started it.
 */
function linksFrom({ cwd, env }: Context, flags: PlaceFlags): (at: Position) => string | undefined {
  const pathOf = pathInRepository({ cwd }, flags);
  const commit = checkedOut(repositoryOf(resolve(cwd, dirname(flags.config))));
  const job = commit === undefined ? env : { ...env, GITHUB_SHA: commit, CI_COMMIT_SHA: commit };
  return ({ file, line }) => lineUrlOf(job, pathOf(file), line);
}

/** The commit that a repository is at, if it is on no branch, as in a job. */
function checkedOut(root: string | undefined): string | undefined {
  const file = join(root ?? "", ".git/HEAD");
  if (root === undefined || !existsSync(file)) return undefined;
  return /^[0-9a-f]{40,64}$/.exec(readFileSync(file, "utf8").trim())?.[0];
}

/** The comments for each host, without secrets, with links to the page of the job and to the files of its commit. */
export function commentPrinters(
  context: Context,
  flags: PlaceFlags,
  comment: (options: MarkdownOptions) => string,
): Record<Exclude<ReportFormat, "text" | "html">, () => string> {
  const link = runUrlOf(context.env);
  const redact = (text: string): string => context.redaction.redact(text);
  const linkTo = linksFrom(context, flags);
  const flavoured = (flavour: Flavour) => (): string => comment({ flavour, redact, linkTo, ...defined({ link }) });
  return {
    markdown: flavoured(FLAVOURS.github),
    "markdown-gitlab": flavoured(FLAVOURS.gitlab),
    "markdown-bitbucket": flavoured(FLAVOURS.bitbucket),
    "github-summary": flavoured(FLAVOURS.summary),
  };
}

/**
 * Annotations for the log of a job on GitHub, with the paths of their places from the root of the repository, and
 * without secrets.
 */
export function annotationsText(context: Context, flags: PlaceFlags, annotations: readonly Annotation[]): string {
  const redact = (text: string): string => context.redaction.redact(text);
  return githubText(annotations, { pathOf: pathInRepository(context, flags), redact, most: MOST_DISPLAYED });
}

/** Returns the path of a file from the root of its Git repository, or else from the working folder. */
export function pathInRepository(
  { cwd }: Pick<Context, "cwd">,
  { config, source = {} }: PlaceFlags,
): (file: string) => string {
  const project = resolve(cwd, dirname(config));
  const root = repositoryOf(project) ?? cwd;
  // A file from the command line is relative to the process, all others to the project.
  return (file) => relative(root, resolve(Object.values(source).includes(file) ? cwd : project, file));
}

/** Flags that say where the files of the project are. */
type PlaceFlags = Pick<ProjectFlags, "config" | "source">;

/** The root of the Git repository that a folder is in; undefined if it is in none. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return folder === dirname(folder) ? undefined : repositoryOf(dirname(folder));
}
