import type { ZoneId } from "../core/brand.ts";
import type { Diagnostic, Position } from "../core/diagnostic.ts";
import type { JsonObject } from "../core/json.ts";
import type { Budget } from "../core/rate-limits.ts";
import type { Secret } from "../core/secret.ts";
import type { KindName, Origin } from "../kinds/kind.ts";
import type { Options } from "../kinds/live.ts";

/** What the configuration asks for, all layers, sources and policies worked in. The plan's first input. */
export interface Desired {
  readonly project: string;
  readonly budget: Budget;
  readonly zones: readonly DesiredZone[];
}

/** What the project file says of the project as a whole. */
export interface Heading {
  /** Its name. */
  readonly project: string;
  readonly state: StateSettings;
}

/** What the project file says of where the states are: never a server to connect to, nor a credential. */
export interface StateSettings {
  readonly engine?: "local" | "postgres";
  /** The schema of the tables. */
  readonly schema?: string;
  /** The host that the address is expected to lead to: it is only compared. */
  readonly host?: string;
  /** Where the file says it. */
  readonly at?: Position;
}

/** Where the project file says how large the budget is; absent where it does not. */
export interface BudgetPlaces {
  readonly api?: Position;
  readonly issuance?: Position;
}

/** One zone of the project. */
export interface DesiredZone {
  readonly id: ZoneId;
  readonly name: string;
  readonly at: Position;
  /** Single objects, entry points, and with `lifecycle: zoneform` every custom hostname; in the order of declaration. */
  readonly objects: readonly DesiredObject[];
  readonly hostnames: HostnameRules;
  readonly checks: readonly Check[];
  /** How much a plan may take away, by kind; every kind that can be deleted for want of an entry is in it. */
  readonly deletionLimits: ReadonlyMap<KindName, DeletionLimit>;
  /** Hostnames that come to this zone, or change their name in it. */
  readonly moves: readonly Move[];
  /** Objects that are dropped from the state and stay live: addresses without the zone's name, and where each is said. */
  readonly forgets: ReadonlyMap<string, Position>;
}

/** A hostname that is to be served by another entry, here or in another zone of the project. */
export interface Move {
  /** Where it was; `zone` is a name. */
  readonly from: { readonly zone: string; readonly key: string };
  readonly to: { readonly zone: string; readonly key: string };
  readonly at: Position;
}

/** How many tracked objects of a kind one plan may take away from one zone. Whichever is met first counts. */
export interface DeletionLimit {
  /** Of those that are tracked, between 0 and 1. */
  readonly share: number;
  readonly count: number;
}

/** One object that should be some way: it is declared, or policies speak of it. */
export interface DesiredObject {
  readonly kind: KindName;
  /** The natural key (a hostname, a phase); empty for kinds of which a zone has one. */
  readonly key: string;
  /** The declared values in their one spelling (`Kind.normalise`); secrets as references. */
  readonly spec: JsonObject;
  readonly options: Options;
  /** What the policies alone want of it, without its own values and without exceptions. Custom hostnames only. */
  readonly floor?: JsonObject;
  /** Undefined where the YAML says nothing of it: then the state's word holds. */
  readonly protect?: boolean;
  /** Only policies speak of it (the plan finds it live): it is neither created nor deleted. */
  readonly isUndeclared?: true;
  readonly at: Position;
}

/** How a zone's custom hostnames are managed. */
export interface HostnameRules {
  /** Whether the YAML speaks of custom hostnames at all; if not, they are not even listed. */
  readonly isDeclared: boolean;
  readonly lifecycle: "zoneform" | "app";
  /** What to do about hostnames that are neither declared nor known. */
  readonly foreign: "ignore" | "report" | "adopt";
  readonly whenExpired: "report" | "create";
  /** Whether `ssl` is changed only on hostnames that are active (docs/semantics.md#held-changes). */
  readonly sslUpdates: "when_active" | "always";
  /** In order; later ones win. Exceptions stand behind all policies. */
  readonly policies: readonly Policy[];
  /** The options of every custom hostname of the zone, one object for all of them. */
  readonly options: Options;
}

/** A policy or an exception. */
export interface Policy {
  readonly name: string;
  readonly isException: boolean;
  readonly match: Match;
  /** In its one spelling. */
  readonly set: JsonObject;
  readonly at: Position;
  /** The first moment at which an exception no longer holds, in milliseconds; absent where it has no end. */
  readonly endsAtMilliseconds?: number;
}

/** Facts that a policy may look at. All of them must hold; a list means any of them. An empty match matches all. */
export interface Match {
  /** Exact name, or a pattern in which `*` stands for any characters. */
  readonly hostname?: readonly string[];
  readonly wildcard?: boolean;
  readonly customOriginServer?: readonly string[];
  readonly metadata: Readonly<Record<string, readonly string[]>>;
  readonly label: Readonly<Record<string, readonly string[]>>;
}

/** What is known of a hostname for matching: only what does not move by itself. */
export interface HostnameFacts {
  readonly hostname: string;
  /** Whether `ssl.wildcard` is set, on the entry or live. A name that begins with `*.` is a wildcard anyway. */
  readonly wildcard?: boolean;
  readonly customOriginServer?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** A value that may not be wanted, or may not be live. It finds and refuses; it changes nothing (docs/semantics.md#choice-of-ca). */
export interface Check {
  readonly name: string;
  /** By leaf of the hostname: `ssl.certificate_authority` and the values that are denied. */
  readonly deny: Readonly<Record<string, readonly string[]>>;
  readonly in: readonly ("desired" | "live")[];
  readonly at: Position;
}

/** What a zone got from a source: kept in the state at apply, and compared before the next plan (docs/semantics.md#truncated-sources). */
export interface SourceCount {
  /** The zone's name. */
  readonly zone: string;
  readonly source: string;
  /** Rows that this zone got, after `where`. */
  readonly rows: number;
  /** The hostname of the last of them. */
  readonly last: string;
  /** The short hash of each of them, in the file's order (`core/row-hash.ts`). */
  readonly order: string;
  /** The same of every row of the file, where these are not all of them. */
  readonly file?: string;
  /** How much of the rows may be gone, between 0 and 1. */
  readonly maxShrink: number;
  /** `complete.min_rows` is exactly the number of rows of the file: somebody says that it is whole. */
  readonly isConfirmed: boolean;
  /** A manifest proves that the file is whole. */
  readonly isProven: boolean;
  /** What `complete` says, in one line. */
  readonly said: string;
  /** Where the source is declared. */
  readonly at: Position;
}

/** Everything that loading a project gives. */
export interface LoadedProject {
  readonly heading: Heading;
  readonly desired: Desired;
  readonly budgetAt: BudgetPlaces;
  /** For each zone with `lifecycle: zoneform` and each source that feeds it. */
  readonly sources: readonly SourceCount[];
  /** Values of all secrets that the YAML refers to, by the canonical text of the reference. */
  readonly secrets: ReadonlyMap<string, Secret>;
  /** Those that are not at hand, with what is missing; none where that is an error. */
  readonly absentSecrets: ReadonlyMap<string, Diagnostic>;
  /** Where each leaf of one object comes from, by formatted path; worked out when asked for, because it is asked for one object at a time. */
  origins(zone: string, kind: KindName, key: string): ReadonlyMap<string, Origin>;
}
