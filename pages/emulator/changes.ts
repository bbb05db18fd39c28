import { isObject, type Json, type JsonObject, textAt } from "../parts/json.ts";

/** A field that a request changed; undefined where it was not there. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Fields that change with every write, and say nothing about it. */
const IGNORED = new Set(["version", "last_updated", "modified_on", "updated_at"]);

/** The fields that differ between two looks of an object. Rules are matched by their ref, whatever their places are. */
export function changesBetween(before: Json, after: Json): readonly FieldChange[] {
  const [left, right] = [leavesOf(before), leavesOf(after)];
  const fields = [...left.keys(), ...[...right.keys()].filter((field) => !left.has(field))];
  return fields
    .filter((field) => left.get(field) !== right.get(field))
    .map((field) => ({ field, before: left.get(field), after: right.get(field) }));
}

/** Every value in the value, by its path. */
function leavesOf(value: Json): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (each: Json | undefined, path: string): void => {
    if (each === null || each === undefined) return;
    if (Array.isArray(each) && each.every(isNamed)) {
      for (const [index, member] of each.entries()) {
        const place = `${path}[${nameOf(member)}]`;
        leaves.set(`${place}.place`, `#${index + 1}`);
        visit(member, place);
      }
    } else if (isObject(each)) {
      for (const [name, member] of Object.entries(each))
        if (!IGNORED.has(name)) visit(member, path === "" ? name : `${path}.${name}`);
    } else leaves.set(path, typeof each === "string" ? each : JSON.stringify(each));
  };
  visit(value, "");
  return leaves;
}

function isNamed(member: Json): member is JsonObject {
  return isObject(member) && nameOf(member) !== "";
}

function nameOf(member: Json): string {
  return textAt(member, "ref") || textAt(member, "id");
}
