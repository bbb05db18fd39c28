import { type Command, InvalidArgumentError, Option } from "commander";

/** The project file if no flag names one. */
export const USUAL_CONFIG = "zoneform.yaml";

/** Flags that every command takes. */
export interface CommonOptions {
  readonly color: boolean;
  readonly debug?: boolean;
}

/** Flags of commands that read the configuration. */
export interface ProjectFlags extends CommonOptions {
  readonly config: string;
  readonly source?: Readonly<Record<string, string>>;
  readonly completeSource?: readonly string[];
  readonly zone?: readonly string[];
  /** The place of the states. */
  readonly state?: string;
}

/** Flags of commands that call the service. */
export interface ServiceFlags extends ProjectFlags {
  readonly apiUrl?: string;
}

/** Flags that choose a part of a plan. */
export interface SelectionFlags extends ServiceFlags {
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly deny?: readonly string[];
  readonly maxChanges?: number;
}

/**
 * Flags of commands that report their end as JSON, however they end. With `--json`, standard output is only that
 * document.
 */
export interface Reporting extends Pick<ProjectFlags, "config" | "source"> {
  readonly json?: boolean;
  /** Files in formats of their own (`reportsOf`). */
  readonly report?: readonly string[];
  /** A file for the same document. */
  readonly jsonFile?: string;
}

/** Flags of commands that write. */
export interface WriteFlags extends ServiceFlags, Reporting {
  readonly autoApprove?: boolean;
  /** How long the run may start changes, in milliseconds from the start of the command. */
  readonly maxDuration?: number;
  readonly parallelism: number;
  readonly zonesInParallel: number;
  readonly lockTimeout: number;
}

/** Flags of commands that write a state. */
export interface StateWriteFlags extends ProjectFlags {
  readonly lockTimeout: number;
  readonly dryRun?: boolean;
}

/** Descriptions of flags that several commands declare. */
export const AUTO_APPROVE = "do not ask for approval";
/** Describes `--copy`. */
export const COPY = "a copy that a repair or state rm --zone set aside, instead of the state";

export const LOCK_TIMEOUT = "how many seconds to wait for the state's lock";
export const SAME_AS_JSON = "same as --format json";
export const COMPLETE_SOURCE =
  "this source's file is complete, however many rows it lost; for this run only (repeatable)";
export const DENY = "block changes with this hazard or action (repeatable)";
export const SELECT = "only names that match, with * for any characters (repeatable)";
export const RESOLVER = "the DNS server to ask, such as 127.0.0.1:5353 (repeatable; default: the system's)";

/** Adds the flags of commands that read the configuration. */
export function withProjectFlags(command: Command): Command {
  return command
    .option("-c, --config <file>", "the project file", USUAL_CONFIG)
    .option("--source <name=file>", "read this source from another file (repeatable)", collectSource)
    .option("--zone <name>", "only this zone, by name or id (repeatable)", collect);
}

/** Adds the flag of commands that read or write states. */
export function withStateFlag(command: Command): Command {
  return command.option(
    "--state <address>",
    "where the states are: a folder, postgres://…, s3://… or https://… (default: $ZONEFORM_STATE, else .zoneform beside the project file)",
  );
}

/** Adds the flags of commands that write a state and nothing live. */
export function withStateWriteFlags(command: Command): Command {
  return withStateFlag(withProjectFlags(command))
    .option("--dry-run", "show what would be done; write nothing")
    .option("--lock-timeout <seconds>", LOCK_TIMEOUT, wholeNumber, 0);
}

/** Adds the flags of commands that call the service. */
export function withServiceFlags(command: Command): Command {
  return withProjectFlags(command).option("--api-url <url>", "the base URL of the API (default: $CLOUDFLARE_BASE_URL)");
}

/** Adds the flag of commands that change nothing and can record their observations. */
export function withRecordFlag(command: Command): Command {
  return command.option("--no-record", "do not record what this run sees");
}

/** Adds the flag of commands that can notify somebody of what they found or did. */
export function withNotifyFlag(command: Command): Command {
  return command.option(
    "--notify <url>",
    "also send the result to this webhook, or slack=URL (default: $ZONEFORM_NOTIFY_URL)",
  );
}

/** The flag `--report` of a command that has these formats. */
export function reportFlag(formats: readonly string[]): Option {
  return new Option(
    "--report <format=file>",
    `also write a report to a file, or to - for standard output: ${formats.join(", ")} (repeatable)`,
  ).argParser(collect);
}

/** The flag `--fail-on` of commands that look for changes made outside Zoneform. */
export function failOnFlag(): Option {
  return new Option(
    "--fail-on <hazards>",
    "exit with 3 only for these hazards, such as outage,weakens-protection; the rest is printed",
  ).argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), ...value.split(",")]);
}

/** Adds the flags that choose a part of a plan. */
export function withSelectionFlags(command: Command): Command {
  return withTargetFlags(command)
    .option("--deny <word>", DENY, collect)
    .option("--max-changes <n>", "block a plan with more changes than this", wholeNumber);
}

/** Adds the flags that choose objects. */
export function withTargetFlags(command: Command): Command {
  return command
    .option("--target <address>", "only this object, or objects of this kind (repeatable)", collect)
    .option("--exclude <address>", "all but this object, or objects of this kind (repeatable)", collect);
}

/** Adds the flags of commands that write. */
export function withWriteFlags(command: Command): Command {
  return command
    .option("--auto-approve", AUTO_APPROVE)
    .option(
      "--max-duration <duration>",
      "start no change after this time, such as 5h; the next run does the rest (exit 6)",
      duration,
    )
    .option("--parallelism <n>", "how many changes to apply at the same time in each zone", wholeNumber, 8)
    .option("--zones-in-parallel <n>", "how many zones to apply at the same time, within one budget", wholeNumber, 1)
    .option("--lock-timeout <seconds>", LOCK_TIMEOUT, wholeNumber, 0)
    .option("--json-file <file>", "also write the report as JSON to this file");
}

/** The flag `--full` of commands that print a plan or a report with lists of objects. */
export function fullFlag(): Option {
  return new Option("--full", "name every object, instead of the first ones of a long list");
}

/** The flag `--format` with its choices; the first is the default. */
export function formatFlag(choices: readonly [string, ...string[]]): Option {
  return new Option("--format <format>", "the output format").choices(choices).default(choices[0]);
}

/** The flag `--json`, which wins over `--format`. */
export function jsonFlag(): Option {
  return new Option("--json", "the same as --format json").implies({ format: "json" });
}

/** Reads a whole number from 0 up. Throws commander's error for anything else. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

/** Reads a duration such as `90s`, `30m`, `2h` or `1d`; in milliseconds. Throws commander's error for anything else. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Expected a duration such as 90s, 30m, 2h or 1d.");
  return Number(count) * (unit === "s" ? 1_000 : unit === "m" ? 60_000 : unit === "h" ? 3_600_000 : 86_400_000);
}

/** Collects a flag that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function collectSource(
  value: string,
  before: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const [, name, file] = /^([\w-]+)=(.+)$/.exec(value) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError("Expected NAME=FILE.");
  return { ...before, [name]: file };
}

/** The shells that have a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type Shell = (typeof SHELLS)[number];
