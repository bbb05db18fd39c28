import { type Diagnostic, warning } from "../lib/core/diagnostic.ts";

/** Says of a credential that it cannot be hidden; `name` is the variable that has it, or what it is. */
export function notHidden(name: string): Diagnostic {
  return warning({
    code: "credential-not-hidden",
    message: `${name} is a word that Zoneform itself writes, so it is not hidden where it is printed`,
    remedy: "choose another one: anybody can guess this one",
  });
}
