import type { ZoneId } from "../../core/brand.ts";
import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Secret, SecretReference } from "../../core/secret.ts";
import type { Client, FreshClient } from "../../service/client.ts";
import type { Live, Options } from "../live.ts";

/** Gives the value of a secret that a spec refers to. Throws `Refusal` when it is not to be had. */
export type Reveal = (reference: SecretReference) => Secret;

/** What a write needs to know besides the client. */
export interface WriteContext {
  /** Sends a write only just after the object was read with it (docs/reliability.md, "Fresh reads"). */
  readonly client: Client;
  /** Makes another request of the same step on a fresh read of its own, for kinds that send several. */
  readonly freshly: FreshClient["freshly"];
  readonly zone: ZoneId;
  readonly reveal: Reveal;
  readonly signal?: AbortSignal | undefined;
}

/** A further request of a step would meet an object that changed since the step was compared; it was not sent. */
export class ChangedMeanwhile extends Error {
  readonly live: Live;
  /** Whether a request of the step was sent before. */
  readonly hasWritten: boolean;

  constructor(live: Live, hasWritten: boolean) {
    super("the object changed while the step was carried out");
    this.name = "ChangedMeanwhile";
    this.live = live;
    this.hasWritten = hasWritten;
  }
}

/** A request of a step failed after others of it were carried out. `cause` is the failure. */
export class StepCutShort extends Error {
  constructor(cause: unknown) {
    super("a step was carried out in part", { cause });
    this.name = "StepCutShort";
  }
}

/** A version of an object that somebody wrote between our re-read and our write, and that our write replaced. */
export interface Overwritten {
  readonly version: string;
  /** The object as it was in that version; absent where the service does not give it any more. */
  readonly live?: Live;
}

/** What an update is made of. */
export interface UpdateInput {
  /** All declared values, with references to secrets. */
  readonly spec: JsonObject;
  /** Those that differ, and are not held. */
  readonly leaves: readonly LeafChange[];
  readonly prior: JsonObject | undefined;
  /** As re-read just before this write; what is not owned is carried over from it. */
  readonly live: Live;
  readonly options: Options;
  /** The other object that this write takes with it (`Strategies.companion`), where the YAML declares it. */
  readonly companion?: Companion;
}

/** An object that is written by another one's call. */
export interface Companion {
  readonly spec: JsonObject;
  readonly prior: JsonObject | undefined;
  /** Absent where it is not live yet. */
  readonly live: Live | undefined;
  readonly options: Options;
}

/** Whether an object serves: if not, why, whether it will never do so by itself, and what to do about it. */
export type Readiness = "ready" | { readonly reason: string; readonly remedy: string; readonly isFinal: boolean };

/** How objects are read. These call the service and only ever send GET; `readiness` is pure. */
export interface Read {
  /** Live objects of the zone; `keys` are those declared or tracked, for kinds that are read one by one. */
  list(client: Client, zone: ZoneId, keys: readonly string[], signal?: AbortSignal): AsyncIterable<Live>;
  /** One object by its id, or undefined where it is gone. */
  read(
    client: Client,
    zone: ZoneId,
    target: { id: string; key: string },
    signal?: AbortSignal,
  ): Promise<Live | undefined>;
  /**
   * One object by its natural key: how a create whose answer was lost is found again. Where several objects may have one
   * key, the newest, and none of `others`.
   */
  find(
    client: Client,
    zone: ZoneId,
    key: string,
    signal?: AbortSignal,
    others?: ReadonlySet<string>,
  ): Promise<Live | undefined>;
  /** Whether the object serves by now, for kinds that take their time; others are ready when they are written. */
  readiness?(live: Live): Readiness;
}

/** How objects are written: each function sends its write once, and gives what the service answered. */
export interface Written {
  create(context: WriteContext, key: string, spec: JsonObject, options: Options): Promise<Live>;
  update(context: WriteContext, input: UpdateInput): Promise<Live>;
  /** Removing what is gone already is success. `prior` says which parts are ours where the object is shared. */
  remove(context: WriteContext, live: Live, prior: JsonObject | undefined): Promise<Live | void>;
  /**
   * What a write replaced that nobody had seen: where the service counts versions, ours must be the one after the one
   * that was re-read. `before` is the re-read, `after` the answer to the write, or what a look-up found where that was lost;
   * `isOurs` says whether a version has what was written. Absent where nothing is counted.
   */
  overwritten?(
    context: WriteContext,
    before: Live,
    after: Live,
    isOurs: (live: Live) => boolean,
  ): Promise<Overwritten | undefined>;
}
