import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";
import type { Shared } from "./shared.ts";

/** How the engine handles objects of a kind. Optional parts are absent for kinds that need nothing special. */
export interface Strategies<Name extends string> {
  /**
   * How long an object lives. `permanent`: a setting of the zone, which always exists and can be neither created nor
   * deleted. `until-destroyed`: removing its entry from the YAML releases it, and only `destroy` deletes it.
   * `while-declared`: removing its entry deletes it.
   */
  readonly lifetime: "permanent" | "until-destroyed" | "while-declared";
  /**
   * Whether Zoneform may adopt an existing object `freely`, or only if the YAML says `adopt: true`
   * (docs/semantics.md#shared-entry-points).
   */
  readonly adoption: "freely" | "when-told";
  /**
   * A replacement is created first, and the old object is deleted once the new one serves traffic. Meanwhile several
   * live objects share a key (`retiredKey`); `list` returns the newest last.
   */
  readonly replacement?: "create-first";
  /**
   * The service refuses to create an object that exists, with this code of this family of calls; otherwise a create
   * would overwrite or duplicate it.
   */
  readonly refusesDuplicates?: { readonly family: string; readonly code: number };
  /** Live objects are read from a list in pages. A list may lag, so absence in it proves nothing. */
  readonly isListed?: true;
  /**
   * A step takes several requests, up to this many calls per attempt, so `update` itself reads before each of them. The
   * service may take a while to complete the step, so its last response is not compared with what was sent.
   */
  readonly severalRequests?: { readonly calls: number };
  /** Present if an object can have foreign parts. */
  readonly shared?: Shared;
  /**
   * What a project claims by declaring an object (docs/state.md#two-projects-on-one-store). Absent: all objects of the
   * kind.
   */
  readonly claim?: (declared: Declaration) => ClaimedPart;
  /** Another object that the same call changes: the two are one planned step. */
  readonly companion?: Companionship<Name>;
  /** The objects of another kind that stop working without this one. Absent: there are none. */
  readonly carries?: {
    readonly kind: Name;
    /** Whether a live object of that kind is one of them. */
    readonly isCarried: (live: Live) => boolean;
  };
}

/** One object of a kind, or only those of its rules whose refs begin with one of the prefixes or are one of `refs`. */
export interface ClaimedPart {
  readonly key: string;
  readonly prefixes?: readonly string[];
  readonly refs?: readonly string[];
}

/** How the YAML declares an object. */
export interface Declaration {
  readonly key: string;
  readonly values: JsonObject;
  readonly options: Options;
}

/** The other object of a step, and what the step does to it. */
export interface Companionship<Name extends string> {
  readonly kind: Name;
  readonly key: string;
  /**
   * What the call writes in its place if the YAML does not declare it, field by field; it is approved with the change.
   */
  readonly instead: (live: Live) => readonly LeafChange[];
}
