import type { LeafChange } from "../../core/diff.ts";
import type { Live } from "../live.ts";
import type { Shared } from "./shared.ts";

/** How the engine goes about objects of a kind. What is optional is absent for kinds that need nothing special. */
export interface Strategies<Name extends string> {
  /**
   * How long an object lives. `permanent`: a setting of the zone, which always exists and can be neither created nor
   * deleted. `until-destroyed`: an entry that leaves the YAML lets it go; only `destroy` deletes it. `while-declared`: an
   * entry that leaves the YAML deletes it.
   */
  readonly lifetime: "permanent" | "until-destroyed" | "while-declared";
  /** Whether an object that exists may be taken over `freely`, or only when the YAML says `adopt: true` (docs/semantics.md#shared-entry-points). */
  readonly adoption: "freely" | "when-told";
  /**
   * A replacement is created first, and the old object deleted once the new one serves. For that while several live
   * objects have one key (`retiredKey`); `list` gives the newest last.
   */
  readonly replacement?: "create-first";
  /** The service itself refuses to create what exists; where it does not, a create would overwrite or double it. */
  readonly refusesDuplicates?: true;
  /** Live objects are read from a list in pages. A list may lag behind, so that absence in it proves nothing. */
  readonly isListed?: true;
  /**
   * A step takes several requests, so that `update` reads before each of them by itself; at most so many calls for one
   * attempt. What the last one leads to may take the service a while, so its answer is not compared with what was sent.
   */
  readonly severalRequests?: { readonly calls: number };
  /** Others may have parts of an object beside ours. */
  readonly shared?: Shared;
  /** Another object whose change is carried out by this one's call: the two are one planned step. */
  readonly companion?: Companionship<Name>;
}

/** The other object of a step, and what it means for it. */
export interface Companionship<Name extends string> {
  readonly kind: Name;
  readonly key: string;
  /** What the call saves in its place where the YAML does not declare it, leaf by leaf: it is approved with the change. */
  readonly instead: (live: Live) => readonly LeafChange[];
}
