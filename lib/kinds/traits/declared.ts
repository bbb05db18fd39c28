import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";

/** How a zone file declares objects of a kind. */
export type Section = SectionBase &
  (
    | { /** One object under the key, or a map of objects by their natural key. */ readonly shape: "object" | "map" }
    | {
        /** A list of objects whose natural key is computed from their values. */
        readonly shape: "list";
        readonly keyOf: (desired: JsonObject) => string;
      }
  );

/** What sections of every shape have. */
export interface SectionBase {
  /** The key of the zone file. */
  readonly key: string;
  /** A key that every object needs. A layer may leave it to another file. */
  readonly required: string;
  /** Keys of an object that are no values of it (`Options`). */
  readonly options: readonly string[];
}

/** Something in the desired values that the service would refuse, found before the call. */
export interface ValueProblem {
  /** Points into the desired values. */
  readonly path: readonly (string | number)[];
  /** Where the problem is in the string at `path`, in UTF-16 units; absent if it is the whole value. */
  readonly within?: number;
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  /** It works, but is probably not what was meant: a warning. Only for objects in sections. */
  readonly isWarning?: true;
  /** It concerns only the creation: if the object exists, nothing is wrong. */
  readonly onlyNew?: true;
  /** It is valid until then (ms since the epoch), then merely out of date: a warning. Only for objects in sections. */
  readonly after?: number;
}

/** How the YAML declares a kind, and what can be wrong with it. Pure. */
export interface Declared {
  /** Absent for custom hostnames, which are declared in several ways. */
  readonly section?: Section;
  /** Normalises a typed key; undefined if it is no key of the kind. Absent: keys are used as typed. */
  parseKey?(text: string): string | undefined;
  /** Normalises the declared values: lower case, ids for known names, `default` for `""`. */
  normalise(desired: JsonObject): JsonObject;
  /**
   * Values that the declared ones imply, because the same write changes them or because they have no meaning otherwise.
   * They count as declared: compared, shown, approved and undone. `normalise` adds them; absent if nothing is implied.
   */
  implied?(desired: JsonObject): JsonObject;
  /** Problems that the service would refuse, or that can never work. `zone` is the zone's name, if known. */
  problems(key: string, desired: JsonObject, zone?: string, options?: Options): readonly ValueProblem[];
  /** Problems that depend on live values. Absent: the kind has none. */
  problemsBesideLive?(key: string, desired: JsonObject, live: Live): readonly ValueProblem[];
}
