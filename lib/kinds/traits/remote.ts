import type { ZoneId } from "../../core/brand.ts";
import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Secret, SecretReference } from "../../core/secret.ts";
import type { Client, FreshClient } from "../../service/client.ts";
import type { Live, Options } from "../live.ts";

/** Returns the value of a secret that a desired value refers to. Throws `Refusal` if it is not available. */
export type Reveal = (reference: SecretReference) => Secret;

/** The parameters of a read. */
export interface ReadContext {
  readonly client: Client;
  readonly zone: ZoneId;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The parameters of a write. Its client sends a write only just after it has read the object (docs/reliability.md,
 * "Fresh reads").
 */
export interface WriteContext extends ReadContext {
  /** Sends another request of the same step after a fresh read of its own, for kinds that send several. */
  readonly freshly: FreshClient["freshly"];
  readonly reveal: Reveal;
}

/** The object had changed since the comparison when a step was about to send a further request, which was not sent. */
export class ChangedMeanwhile extends Error {
  readonly live: Live;
  /** Whether an earlier request of the step was sent. */
  readonly hasWritten: boolean;

  constructor(live: Live, hasWritten: boolean) {
    super("the object changed during the step");
    this.name = "ChangedMeanwhile";
    this.live = live;
    this.hasWritten = hasWritten;
  }
}

/** A request of a step failed after others had taken effect. `cause` is the failure. */
export class StepCutShort extends Error {
  constructor(cause: unknown) {
    super("only a part of the step was applied", { cause });
    this.name = "StepCutShort";
  }
}

/** A foreign version that was written between our re-read and our write, and that our write replaced. */
export interface Overwritten {
  readonly version: string;
  /** The object in that version; absent if the service no longer returns it. */
  readonly live?: Live;
}

/** The input of an update. */
export interface UpdateInput {
  /** All declared values, with references to secrets. */
  readonly desired: JsonObject;
  /** The fields that differ and are not held. */
  readonly leaves: readonly LeafChange[];
  readonly prior: JsonObject | undefined;
  /** Read just before this write; unmanaged values are copied from it. */
  readonly live: Live;
  readonly options: Options;
  /** The other object that the same call writes (`Strategies.companion`), if the YAML declares it. */
  readonly companion?: Companion;
}

/** An object that another one's call writes. */
export interface Companion {
  readonly desired: JsonObject;
  readonly prior: JsonObject | undefined;
  /** Absent if it is not live yet. */
  readonly live: Live | undefined;
  readonly options: Options;
}

/** Whether an object serves traffic: if not, why, whether that is final, and what to do. */
export type Readiness = "ready" | { readonly reason: string; readonly remedy: string; readonly isFinal: boolean };

/** How objects are read. These only send GET requests; `readiness` is pure. */
export interface Read {
  /** Live objects of the zone; `keys` are the declared and tracked ones, for kinds that are read one by one. */
  list(client: Client, zone: ZoneId, keys: readonly string[], signal?: AbortSignal): AsyncIterable<Live>;
  /** One object by its id, or undefined if it is gone. */
  read(
    client: Client,
    zone: ZoneId,
    target: { id: string; key: string },
    signal?: AbortSignal,
  ): Promise<Live | undefined>;
  /**
   * One object by its natural key, to find it after a create without a response. If several objects may share a key:
   * the newest that is not in `others`.
   */
  find(
    client: Client,
    zone: ZoneId,
    key: string,
    signal?: AbortSignal,
    others?: ReadonlySet<string>,
  ): Promise<Live | undefined>;
  /**
   * Whether the object serves traffic, for kinds that take a while; objects of other kinds are ready once they are
   * written.
   */
  readiness?(live: Live): Readiness;
}

/** How objects are written: each function sends its write once and returns the service's response. */
export interface Written {
  create(context: WriteContext, key: string, sent: JsonObject, options: Options): Promise<Live>;
  update(context: WriteContext, input: UpdateInput): Promise<Live>;
  /** Deletes the object; succeeds if it is already gone. `prior` says which parts of a shared object are ours. */
  remove(context: WriteContext, live: Live, prior: JsonObject | undefined): Promise<Live | void>;
  /**
   * The unseen version that a write replaced: if the service counts versions, our version must directly follow the one
   * that was read. `before` is the re-read, `after` the response to the write, or a later read if that was lost;
   * `isOurs` says whether a version contains what was written. Absent if there are no versions.
   */
  overwritten?(
    context: ReadContext,
    before: Live,
    after: Live,
    isOurs: (live: Live) => boolean,
  ): Promise<Overwritten | undefined>;
}
