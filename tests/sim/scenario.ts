import type { KindName } from "../../lib/kinds/kind.ts";
import type { FaultRates } from "./faults.ts";
import type { Ending } from "./machine.ts";
import type { OutsideAct } from "./outside.ts";
import type { DiskFault } from "./sim-files.ts";
import type { Edit, WishedHostname } from "./wish.ts";
import type { Side } from "./zones.ts";

/** The zone's subscription decides how it migrates to the new managed rules. */
export type WafPlan = "business" | "enterprise";

/** One run of the tool, from the plan to the end of the apply. */
export interface Run {
  /** It undoes the last run instead of applying the YAML. */
  readonly undoes?: true;
  /** It looks for drift instead of applying the YAML. */
  readonly looksForDrift?: true;
  /** It imports this hostname as it is live, and writes nothing else. */
  readonly imports?: string;
  /** All chance in this run follows from this number. */
  readonly dice: number;
  readonly parallelism: number;
  readonly rates: FaultRates;
  readonly ending?: Ending;
  readonly diskFault?: DiskFault;
  /** The person interrupts it at this point. */
  readonly abortAt?: number;
  /** From this request on the service fails, until the run is over. */
  readonly outageAt?: number;
  /** The zone in which the service fails from the beginning of the apply. */
  readonly outageIn?: Side;
  /** Its clock jumps at this point. */
  readonly jump?: { readonly at: number; readonly milliseconds: number };
  /** The process is stopped at this point, and continues after a while. */
  readonly pause?: Pause;
  /**
   * The rate at which somebody edits an object between the plan and the apply, or after the apply has read it: at once,
   * or in a wait.
   */
  readonly ambush?: number;
  /**
   * `request` counts the process's requests from 1; 0 is between plan and apply. The act happens then, or this long
   * after it.
   */
  readonly outside: readonly {
    readonly request: number;
    readonly act: OutsideAct;
    readonly afterMilliseconds?: number;
    /** It happens in the second zone. */
    readonly isBeside?: true;
  }[];
}

/** A hostname as a person names it: its zone, and which one. */
export interface Place {
  readonly side: Side;
  readonly name: string;
}

/** A hostname moves to another zone, or gets another name, and the YAML says so (`moved`). */
export interface Moving {
  readonly from: Place;
  readonly to: Place;
  readonly as: WishedHostname;
}

/**
 * Why a run cannot work in one of two zones: somebody has locked it, or the service fails there from the beginning of
 * the apply.
 */
export interface Trouble {
  readonly side: Side;
  readonly trouble: "locked" | "outage";
  /** The edits in each of them. */
  readonly edits: readonly Edit[];
  readonly editsBeside: readonly Edit[];
}

/** What another project of the database wants to manage: before the run, or this long after its start. */
export interface Rival {
  readonly kind: KindName;
  readonly delayMilliseconds: number;
  /** It is about the second zone. */
  readonly isBeside?: true;
}

/** A process that is stopped (SIGSTOP): time passes, what it has sent arrives, and it does nothing. */
export interface Pause {
  readonly at: number;
  readonly milliseconds: number;
  /** Somebody takes it for dead meanwhile: a person frees its lock, and starts another run. */
  readonly isReplaced?: true;
}

/** What a person does with the state itself. If the process ends during it, it is killed; the power stays on. */
export interface StateCommand {
  readonly command: "rm" | "mv" | "pull" | "push" | "push-older" | "repair";
  /** For `mv`: the keys of a certificate pack, before and after. */
  readonly keys?: readonly [from: string, to: string];
  /** It concerns the second zone. */
  readonly isBeside?: true;
  readonly dice: number;
  readonly ending?: Omit<Ending, "cut">;
}

/** A person moves the states to the other place (`state migrate`). If it ends during that, it is called again. */
export type MigrationCommand = Pick<StateCommand, "dice" | "ending">;

/** A session: time passes, somebody edits the YAML, and a run applies it; perhaps two at once. */
export interface Session {
  readonly waitMilliseconds: number;
  /** Before the edits, somebody does this in the dashboard, and a job looks for drift. */
  readonly drift?: { readonly dice: number; readonly acts: readonly OutsideAct[] };
  readonly edits: readonly Edit[];
  /** Edits of the second zone's file. */
  readonly editsBeside?: readonly Edit[];
  readonly moves?: readonly Moving[];
  readonly run: Run;
  readonly second?: Run & { readonly delayMilliseconds: number };
  /** Before the run somebody tries with a CSV file that was truncated to this share of its length. */
  readonly truncation?: { readonly share: number; readonly dice: number };
  /** Before the run somebody imports a live hostname. */
  readonly imported?: Run & { readonly imports: string };
  /** Before the run somebody moves the states. */
  readonly migration?: MigrationCommand;
  /** Before the run somebody does this with the state. */
  readonly commands?: readonly StateCommand[];
  /** Afterwards somebody undoes the last run. */
  readonly undo?: Run;
  /** Another project claims something until the session ends. */
  readonly rival?: Rival;
}

/** Everything that happens in one seed, as plain data: what it omits does not happen. */
export interface Scenario {
  readonly seed: number;
  /** Certificates a minute that the account may order, and how many of them to leave to others. */
  readonly issuance: { readonly perMinute: number; readonly reserve: number };
  /** The service shows only this many hostnames on a page. */
  readonly pageSize?: number;
  /** A CSV file declares all hostnames that it can. */
  readonly hasCsv?: true;
  /** The project allows any number of deletions at once. */
  readonly hasWideLimits: boolean;
  /** The share of the service's calls that the project may use; all of them if absent. */
  readonly apiShare?: string;
  readonly behaviour: "described" | "public";
  /** The subscription of a zone that still has the previous managed rules; absent for a zone that never had them. */
  readonly waf?: WafPlan;
  /** States are encrypted from one session on, counted from 0, and with another passphrase from a later one on. */
  readonly sealing?: { readonly from: number; readonly changed: number };
  /** The project has a second zone. */
  readonly hasNeighbour?: true;
  /** States are in a database, and not on the disk of the machine. */
  readonly hasDatabase?: true;
  /** States are on an HTTP server. */
  readonly hasHttp?: true;
  /** Runs apply both zones at the same time. */
  readonly hasZonesAtOnce?: true;
  /** States are in a bucket. */
  readonly hasBucket?: true;
  /** Before the seed settles, one zone is in trouble, and the other one is not. */
  readonly trouble?: Trouble;
  readonly sessions: readonly Session[];
}
