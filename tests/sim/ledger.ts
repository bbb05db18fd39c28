import type { KindName } from "../../lib/kinds/kind.ts";
import type { Change, Plan } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import type { State } from "../../lib/state/state.ts";
import type { Looks } from "./looks.ts";
import type { Write } from "./writes.ts";

/** What the judges need to know about the process that sends the requests. */
export interface Party {
  stage: "plan" | "apply" | "over";
  /** It undoes the previous run, whatever the YAML says. */
  readonly isUndo: boolean;
  /** The plan that it applies. */
  plan: Plan | undefined;
  /** The state when the process began. */
  readonly before: State | undefined;
  /** What it has read, with what was really live. */
  readonly looks: Looks;
  /** The kinds of which a change of its own lost an edit that nobody could have seen. */
  readonly overwrote: Set<KindName>;
  /** Its writes that took effect. */
  readonly effects: Effect[];
  /** Refs of the entry point's rules when it was last read. */
  rulesRead: ReadonlySet<string>;
  /** When they were last read during its apply; `Infinity` for never. */
  rulesRereadAt: number;
  /** Creates that the service may have carried out: none of them may be sent again. */
  readonly created: Set<string>;
  /** When certificates were ordered in the process's own run, in all zones: the limits are the account's. */
  readonly ordered: number[];
  /** When each name was last shown to it, or written by it. */
  readonly shown: Map<string, number>;
  /** Its clock jumps, so it cannot keep to any pace. */
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
  /** Whether its answer clearly said so. */
  isHeard: boolean;
}

/** A broken promise. */
export interface Violation {
  /** The invariant: `I1`, `I5`, … */
  readonly invariant: string;
  readonly what: string;
}

/** What the judges know besides the service's own truth: who made what. */
export interface Ledger {
  readonly violations: Violation[];
  /** Ids of the objects that the engine created, and of those that others did. */
  readonly ours: Set<string>;
  readonly foreign: Set<string>;
  /** The name of every hostname that was ever live, by id. */
  readonly names: Map<string, string>;
  /** Ids of hostnames whose creator died before the answer, or did not get it. */
  readonly unanswered: Set<string>;
  /** Hostnames that were deleted because another one replaced them. */
  moved: number;
  /** By the id of a pack, the keys that somebody gave it although its live name differs. */
  readonly renamed: Map<string, Set<string>>;
  /** Ids that the state once released on purpose. */
  readonly released: Set<string>;
  /** Ids of hostnames whose protection was applied, and not removed since. */
  readonly shielded: Set<string>;
  /** When somebody last touched a name, or did something without a name. */
  readonly touched: Map<string, number>;
  /** The last snapshot that is known to survive a power cut. */
  saved: { readonly bytes: string; readonly serial: number; readonly lineage: string } | undefined;
  /** The kind that another project claims in the zone. */
  claimedByOther: KindName | undefined;
  /** Foreign acts so far. */
  outsideActs: number;
  /** Writes of the engine that took effect so far. */
  effects: number;
  /** Writes that overwrote a foreign edit made between the last read and the write itself. */
  excused: number;
  /** Which process wrote last, and has neither ended nor released the lock. */
  writer: Party | undefined;
  /** The run that last wrote each object, of the runs that are judged next. */
  readonly lastWriters: Map<string, Party>;
  /** How often a person had to free a lock after a power cut. */
  manualSteps: number;
  blame(invariant: string, what: string): void;
}

/** An empty ledger. A second zone's ledger shares its violations with the first. */
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
    claimedByOther: undefined,
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

/** The planned change of an address within the zone, including the companion of another one. */
export function plannedChange(
  plan: Plan | undefined,
  { kind, key, id }: { readonly kind: string; readonly key: string; readonly id?: string },
): Change | undefined {
  for (const section of plan?.zones ?? []) {
    for (const change of section.changes) {
      if (change.kind !== kind) continue;
      // An object that was replaced by creating first is known by its key with its id.
      if (change.key === key || change.key === `${key}#${id ?? ""}`) {
        if (id === undefined || change.id === undefined || change.id === id) return change;
      }
    }
  }
  return undefined;
}
