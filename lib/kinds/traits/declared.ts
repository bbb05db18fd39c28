import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live } from "../live.ts";

/** How a zone file declares objects of a kind. */
export type Section = SectionBase &
  (
    | { /** One object under the key, or a map of objects by their natural key. */ readonly shape: "object" | "map" }
    | {
        /** A list of objects, whose natural key follows from what they declare. */
        readonly shape: "list";
        readonly keyOf: (spec: JsonObject) => string;
      }
  );

/** What sections of every shape have. */
export interface SectionBase {
  /** The key of the zone file. */
  readonly key: string;
  /** The key of an object without which it means nothing. A layer may leave it to another file. */
  readonly required: string;
  /** Keys of an object that say something about it and are no values of it (`Options`). */
  readonly options: readonly string[];
}

/** Something in a spec that the service would refuse, found before it is called. `path` points into the spec. */
export interface SpecProblem {
  readonly path: readonly (string | number)[];
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  /** It only speaks of creating the object: where that exists, there is nothing wrong. */
  readonly onlyNew?: true;
  /** It is right until then (ms since the epoch), and only out of date afterwards: a warning. Of objects in sections only. */
  readonly after?: number;
}

/** How the YAML declares a kind, and what is wrong with a declaration. Pure. */
export interface Declared {
  /** Absent for custom hostnames, which are declared in more ways than one. */
  readonly section?: Section;
  /** The one spelling of a key that somebody typed; undefined for what is no key of the kind. Absent: taken as it is. */
  parseKey?(text: string): string | undefined;
  /** The spec in its one spelling: lower case, known names as ids, `""` as `default`. */
  normalise(spec: JsonObject): JsonObject;
  /**
   * What a spec decides without saying it, because its write takes that along or because it means nothing otherwise. It
   * counts as declared: compared, shown, approved and undone. `normalise` adds it; absent where specs say all that they do.
   */
  implied?(spec: JsonObject): JsonObject;
  /** What the service would refuse, or what could never work. `zone` is the zone's name, where it is known. */
  problems(key: string, spec: JsonObject, zone?: string): readonly SpecProblem[];
  /** What the service would refuse of the spec because of values that only live has. Absent: nothing depends on those. */
  problemsBesideLive?(key: string, spec: JsonObject, live: Live): readonly SpecProblem[];
}
