import type { Change, Plan } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import type { State } from "../../lib/state/state.ts";
import type { Looks } from "./looks.ts";
import type { Write } from "./writes.ts";

/** What a process is about, as far as the judges of its requests need to know. */
export interface Party {
  stage: "plan" | "apply" | "over";
  /** It undoes what the run before did, whatever the YAML says. */
  readonly isUndo: boolean;
  /** The plan that it carries out. */
  plan: Plan | undefined;
  /** The state as it was when the process began. */
  readonly before: State | undefined;
  /** What it has read, by the service's own truth. */
  readonly looks: Looks;
  /** A write of its took another one's rules with it, that nobody could have seen. */
  overwroteRules: boolean;
  /** Its writes that took effect. */
  readonly effects: Effect[];
  /** Refs of the entry point's rules when it was last read. */
  rulesRead: ReadonlySet<string>;
  /** When they were last read during its apply; `Infinity` for never. */
  rulesRereadAt: number;
  /** Creates that the service may have carried out: none of them may be sent again. */
  readonly created: Set<string>;
  /** When certificates were ordered in the process's own run, in all zones: limits are of the account. */
  readonly ordered: number[];
  /** When each name was last shown to it, or written by it. */
  readonly shown: Map<string, number>;
  /** Its clock jumps, so that it cannot keep to anybody's pace. */
  readonly hasJump: boolean;
  /** How often it made each request, by stage, method and address. */
  readonly calls: Map<string, number>;
  /** Whether it sees a list that is older than live. */
  sawStale: boolean;
  writes: number;
}

/** A write that took effect. */
export interface Effect {
  readonly write: Write;
  readonly request: HttpRequest;
  /** Its answer said so in plain words. */
  isHeard: boolean;
}

/** A promise that was broken. */
export interface Violation {
  /** The invariant: `I1`, `I5`, … */
  readonly invariant: string;
  readonly what: string;
}

/** What the judges know beside the service's own truth: who made what. */
export interface Ledger {
  readonly violations: Violation[];
  /** Ids of objects that the engine created, and of those that somebody else did. */
  readonly ours: Set<string>;
  readonly foreign: Set<string>;
  /** The name of every hostname that was ever live, by id. */
  readonly names: Map<string, string>;
  /** Ids of hostnames whose creator did not live, or did not get, to see the answer. */
  readonly unanswered: Set<string>;
  /** Hostnames that went because another one has taken their place. */
  moved: number;
  /** Keys under which somebody put a pack that is called otherwise live, by its id. */
  readonly renamed: Map<string, Set<string>>;
  /** Ids that the state once let go on purpose. */
  readonly released: Set<string>;
  /** Ids of hostnames whose protection was applied, and not taken off since. */
  readonly shielded: Set<string>;
  /** When somebody else last touched a name, or did what has no name. */
  readonly touched: Map<string, number>;
  /** The snapshot that was last known to survive a power cut. */
  saved: { readonly bytes: string; readonly serial: number; readonly lineage: string } | undefined;
  /** Acts of others so far. */
  outsideActs: number;
  /** Writes of the engine that took effect so far. */
  effects: number;
  /** Writes that took somebody else's with them, written between the last read and the very request. */
  excused: number;
  /** Which process wrote last, and has neither ended nor given the lock back. */
  writer: Party | undefined;
  /** Of the runs that are judged next: which of them wrote an object last. */
  readonly lastWriters: Map<string, Party>;
  /** How often a person had to take a lock off after a power cut. */
  manualSteps: number;
  blame(invariant: string, what: string): void;
}

/** A ledger with nothing in it. One of a second zone shares its violations with the first. */
export function openLedger(violations: Violation[] = []): Ledger {
  return {
    violations,
    ours: new Set(),
    foreign: new Set(),
    names: new Map(),
    unanswered: new Set(),
    moved: 0,
    renamed: new Map(),
    released: new Set(),
    shielded: new Set(),
    touched: new Map(),
    saved: undefined,
    outsideActs: 0,
    effects: 0,
    excused: 0,
    writer: undefined,
    lastWriters: new Map(),
    manualSteps: 0,
    blame: (invariant, what) => {
      violations.push({ invariant, what });
    },
  };
}

/** The planned change of an address within the zone; the companion of another one's included. */
export function plannedChange(
  plan: Plan | undefined,
  { kind, key, id }: { readonly kind: string; readonly key: string; readonly id?: string },
): Change | undefined {
  for (const section of plan?.zones ?? []) {
    for (const change of section.changes) {
      if (change.kind !== kind) continue;
      // An object that was replaced by creating first goes under its key with its id.
      if (change.key === key || change.key === `${key}#${id ?? ""}`) {
        if (id === undefined || change.id === undefined || change.id === id) return change;
      }
    }
  }
  return undefined;
}
