import { equal, type JsonObject, leaves as leavesOf, type Path, valueAt, withOptionalValueAt } from "../core/json.ts";
import type { ObjectHazard } from "./hazards.ts";
import type { Judged, Step } from "./traits/judged.ts";

/** `weakens-protection` at the fields that weaken it alone; at all fields that change, if none does. */
export function weakening(
  { action, key, from, to, leaves }: Step,
  weakens: NonNullable<Judged["weakens"]>,
): readonly ObjectHazard[] {
  if (to === undefined || equal(from, to) || !weakens(from, to, key)) return [];
  const only = (values: JsonObject, path: Path): JsonObject => withOptionalValueAt({}, path, valueAt(values, path));
  const changed = (action === "create" ? leavesOf(to) : leaves).map(({ path }) => path);
  const alone = changed.filter((path) => weakens(only(from, path), only(to, path), key));
  return [{ hazard: "weakens-protection", paths: alone.length === 0 ? changed : alone }];
}
