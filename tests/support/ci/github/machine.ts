import type { Place } from "../place.ts";
import type { Records } from "./records.ts";

/** The machine on which GitHub runs jobs. */
export interface Machine {
  readonly place: Place;
  readonly records: Records;
  /** The address of the API. */
  readonly api: string;
  /** The environment variables of every job. */
  readonly env: Readonly<Record<string, string>>;
}
