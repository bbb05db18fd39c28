import { type Diagnostic, warning } from "../lib/core/diagnostic.ts";

/** The warning for a credential that is not hidden; `name` is its variable, or says what it is. */
export function notHidden(name: string): Diagnostic {
  return warning({
    code: "credential-not-hidden",
    message: `${name} is a plain word, so it is not hidden where it is printed`,
    remedy: "choose another one: anybody can guess this one",
  });
}
