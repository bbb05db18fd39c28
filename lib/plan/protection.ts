import type { Path } from "../core/json.ts";
import type { Subject } from "./subject.ts";

/** The path that stands for losing protection among what a change releases. No kind has a field of this name. */
export const PROTECTION: Path = ["protect"];

/** Whether the state protects the object, or the one that had its name before. */
export function isKeptProtected({ prior, inheritsProtection }: Pick<Subject, "prior" | "inheritsProtection">): boolean {
  return prior?.protect === true || inheritsProtection === true;
}

/**
 * What a change releases of the protection: nothing, or the whole. If the state protects an object and the YAML does
 * not, removing the protection is a change like any other, shown and approved; only a later plan can delete the object.
 */
export function protectionLetGo(subject: Pick<Subject, "target" | "prior" | "inheritsProtection">): readonly Path[] {
  return isKeptProtected(subject) && subject.target?.protect === false ? [PROTECTION] : [];
}
