import { excludes, implies } from "./implies.ts";

/** A value that rules set for the requests that an expression matches. */
export interface Layer<V> {
  readonly expression: string;
  readonly value: V;
}

/**
 * Whether some request may get a weaker value than before. In each list the first matching layer decides, and the last
 * one matches every request. A weaker value counts unless no request can move from the one layer to the other.
 */
export function isWeakerSomewhere<V>(
  before: readonly Layer<V>[],
  after: readonly Layer<V>[],
  isWeaker: (from: V, to: V) => boolean,
): boolean {
  return before.some((was, index) =>
    after.some(
      (is, place) =>
        isWeaker(was.value, is.value) &&
        !excludes(was.expression, is.expression) &&
        !isDecidedEarlier(was, is, [...before.slice(0, index), ...after.slice(0, place)]),
    ),
  );
}

/** Whether one of the earlier layers, which then decides, matches every request that both layers match. */
function isDecidedEarlier<V>(was: Layer<V>, is: Layer<V>, ahead: readonly Layer<V>[]): boolean {
  return (
    ahead.some(({ expression }) => expression === was.expression || expression === is.expression) ||
    ahead.some(({ expression }) => implies(was.expression, expression) || implies(is.expression, expression))
  );
}
