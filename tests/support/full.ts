/** Whether this is `npm run test:full`. */
export const IS_FULL: boolean = process.env["ZONEFORM_FULL"] === "1";

/** A number of examples, steps or repetitions: that of `npm test`, and that of `npm run test:full`. */
export function inFull(full: number, otherwise: number): number {
  return IS_FULL ? full : otherwise;
}
