import type { Path } from "../core/json.ts";
import type { Subject } from "./subject.ts";

/** How the loss of protection is told among what a change lets go. No kind has a leaf of this name. */
export const PROTECTION: Path = ["protect"];

/** Whether the state protects the object, or what had its name before. */
export function isKeptProtected({ prior, inheritsProtection }: Pick<Subject, "prior" | "inheritsProtection">): boolean {
  return prior?.protect === true || inheritsProtection === true;
}

/**
 * What of the protection a change lets go: nothing, or the whole of it. Where the state says that an object is protected
 * and the YAML says that it is not, that is a change like any other, to be seen and approved: it is what a later plan
 * needs to delete the object.
 */
export function protectionLetGo(subject: Pick<Subject, "target" | "prior" | "inheritsProtection">): readonly Path[] {
  return isKeptProtected(subject) && subject.target?.protect === false ? [PROTECTION] : [];
}
