import type { ZoneId } from "../core/brand.ts";
import type { Diagnostic, Origin, Position } from "../core/diagnostic.ts";
import type { JsonObject, Path } from "../core/json.ts";
import type { Budget } from "../core/rate-limits.ts";
import type { Secret } from "../core/secret.ts";
import type { KindName } from "../kinds/kind.ts";
import type { Options } from "../kinds/live.ts";

/** What the configuration declares, after layers, sources and policies. The plan's first input. */
export interface Desired {
  readonly project: string;
  readonly budget: Budget;
  readonly zones: readonly DesiredZone[];
}

/** What the project file says about the project as a whole. */
export interface Heading {
  /** Its name. */
  readonly project: string;
  readonly state: StateSettings;
}

/** What the project file says about the place of the states: never a server to connect to, nor a credential. */
export interface StateSettings {
  readonly engine?: "local" | "postgres" | "s3" | "http";
  /** The schema of the tables. */
  readonly schema?: string;
  /** The bucket, if the address names neither a bucket nor a prefix; otherwise it is only compared. */
  readonly bucket?: string;
  /** The prefix of every key in the bucket; compared like `bucket`. */
  readonly key?: string;
  /** The expected host of the address; it is only compared. */
  readonly host?: string;
  /** The place of the setting in the file. */
  readonly at?: Position;
}

/** Where the project file sets the budget; absent if it does not. */
export interface BudgetPlaces {
  readonly api?: Position;
  readonly issuance?: Position;
  readonly runners?: Position;
}

/** One zone of the project. */
export interface DesiredZone {
  readonly id: ZoneId;
  readonly name: string;
  readonly at: Position;
  /** Settings, entry points, and with `lifecycle: zoneform` every custom hostname, in the order of declaration. */
  readonly objects: readonly DesiredObject[];
  readonly hostnames: HostnameRules;
  readonly checks: readonly Check[];
  /** How many objects a plan may delete, for each kind whose objects are deleted when their entry is removed. */
  readonly deletionLimits: ReadonlyMap<KindName, DeletionLimit>;
  /** Hostnames that move to this zone, or that are renamed within it. */
  readonly moves: readonly Move[];
  /** Objects that are dropped from the state and stay live: addresses without the zone's name, and their positions. */
  readonly forgets: ReadonlyMap<string, Position>;
}

/** A hostname that another entry replaces, here or in another zone of the project. */
export interface Move {
  /** Its previous place; `zone` is a name. */
  readonly from: { readonly zone: string; readonly key: string };
  readonly to: { readonly zone: string; readonly key: string };
  readonly at: Position;
}

/** How many tracked objects of a kind one plan may delete in a zone. A plan that exceeds either limit is blocked. */
export interface DeletionLimit {
  /** Of the tracked objects, between 0 and 1. Absent: the default, which depends on how many objects there are. */
  readonly share?: number;
  readonly count: number;
}

/** One object with desired values: an entry declares it, or policies match it. */
export interface DesiredObject {
  readonly kind: KindName;
  /** The natural key (a hostname, a phase); empty for kinds with one object per zone. */
  readonly key: string;
  /** The declared values, normalised (`Kind.normalise`), with references for secrets. */
  readonly values: JsonObject;
  readonly options: Options;
  /** What the policies alone set, without the object's own values and exceptions. Custom hostnames only. */
  readonly floor?: JsonObject;
  /** Undefined if the YAML does not say; then the state's value counts. */
  readonly protect?: boolean;
  /** Only a policy mentions it (the plan finds it live), so it is neither created nor deleted. */
  readonly isUndeclared?: true;
  readonly at: Position;
}

/** How a zone's custom hostnames are managed. */
export interface HostnameRules {
  /** Whether the YAML has anything about custom hostnames; if not, they are not even listed. */
  readonly isDeclared: boolean;
  readonly lifecycle: "zoneform" | "app";
  /** What to do with hostnames that are neither declared nor tracked. */
  readonly foreign: "ignore" | "report" | "adopt";
  readonly whenExpired: "report" | "create";
  /** In order; later ones win. Exceptions come after all policies. */
  readonly policies: readonly Policy[];
  /** The options of every custom hostname of the zone, in one shared object. */
  readonly options: Options;
}

/** A policy or an exception. */
export interface Policy {
  readonly name: string;
  readonly isException: boolean;
  readonly match: Match;
  /** Normalised. */
  readonly set: JsonObject;
  readonly at: Position;
}

/**
 * The facts that a policy matches. All must hold; a list means any of its items. An empty match matches all hostnames.
 */
export interface Match {
  /** An exact name, or a pattern in which `*` stands for any characters. */
  readonly hostname?: readonly string[];
  readonly wildcard?: boolean;
  readonly customOriginServer?: readonly string[];
  readonly metadata: Readonly<Record<string, readonly string[]>>;
  readonly label: Readonly<Record<string, readonly string[]>>;
}

/** The facts about a hostname that policies can match: only those that do not change by themselves. */
export interface HostnameFacts {
  readonly hostname: string;
  /** Whether `ssl.wildcard` is set, in the YAML or live. A name that begins with `*.` always counts. */
  readonly wildcard?: boolean;
  readonly customOriginServer?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Values that may not be declared, or may not be live. A check reports and blocks; it changes nothing
 * (docs/semantics.md#choice-of-ca).
 */
export interface Check {
  readonly name: string;
  /** Denied values by field of the hostname, for example `ssl.certificate_authority`. */
  readonly deny: Readonly<Record<string, readonly string[]>>;
  readonly in: readonly ("desired" | "live")[];
  readonly at: Position;
}

/** The rows of a source that a zone takes, and how its file begins and ends. */
export interface SourceRows {
  /** The rows for this zone, after `where`. */
  readonly rows: number;
  /** The hostname of the file's first row. */
  readonly first: string;
  /** The hostnames of the file's last rows, ten at most. */
  readonly end: readonly string[];
  /** Whether the file has a row for the hostname, in any zone. */
  has(hostname: string): boolean;
}

/**
 * What a source contained for a zone: stored in the state at apply, and compared before the next plan
 * (docs/semantics.md#truncated-sources).
 */
export interface SourceCount extends SourceRows {
  /** The zone's name. */
  readonly zone: string;
  readonly source: string;
  /** The share of rows that may be missing, between 0 and 1. */
  readonly maxShrink: number;
  /** Where the source is declared. */
  readonly at: Position;
}

/** The result of loading a project. */
export interface LoadedProject {
  readonly heading: Heading;
  readonly desired: Desired;
  readonly budgetAt: BudgetPlaces;
  /** One for each zone with `lifecycle: zoneform` and each source that it uses. */
  readonly sources: readonly SourceCount[];
  /** The values of all secrets that the YAML refers to, by the canonical text of the reference. */
  readonly secrets: ReadonlyMap<string, Secret>;
  /** Secrets that are not available, with what is missing; empty if that counts as an error. */
  readonly absentSecrets: ReadonlyMap<string, Diagnostic>;
  /** Where one declared field comes from; computed on demand. A rule of a ruleset is found by its ref. */
  originOf(zone: string, object: DeclaredObject, path: Path): Origin | undefined;
  /** What decides one field of a hostname; computed on demand. Undefined if nothing sets it. */
  deciderOf(zone: string, hostname: Omit<DeclaredObject, "kind">, path: Path): Decider | undefined;
}

/** An object whose declared fields are looked up. */
export interface DeclaredObject {
  readonly kind: KindName;
  readonly key: string;
  /** The facts of a hostname that only policies match. */
  readonly facts?: HostnameFacts;
}

/** What decides a field of a hostname, in the order in which it wins. */
export type Decider =
  | { readonly by: "exception" | "policy"; readonly at: Position; readonly policy: Policy; readonly until?: string }
  | { readonly by: "entry"; readonly at: Position }
  | {
      readonly by: "row";
      readonly at: Position;
      readonly source: string;
      readonly row: number;
      /** Absent if the file is no CSV. */
      readonly delimiter?: string;
      /** The cell is empty, so it sets nothing. */
      readonly isEmpty: boolean;
    };
