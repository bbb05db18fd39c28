/** Whether this is `npm run test:full`. */
export const IS_FULL: boolean = process.env["ZONEFORM_FULL"] === "1";

/** A number of examples, steps or repetitions: `full` with `npm run test:full`, else `otherwise`. */
export function inFull(full: number, otherwise: number): number {
  return IS_FULL ? full : otherwise;
}

/** Whether the stores are tested with the large counts of `npm run test:stores`. */
export const STORES_FULL: boolean = process.env["ZONEFORM_STORES"] === "full";
