import { error, Refusal } from "../lib/core/diagnostic.ts";
import { isObject } from "../lib/core/json.ts";
import { parse } from "../lib/state/journal.ts";
import type { Context } from "./context.ts";

/** Lines that are of use only as they are: what they are, in words, and how to go on where they cannot be given. */
export interface Intact {
  readonly name: string;
  readonly remedy: string;
}

/**
 * Throws `Refusal` where one of the lines holds a secret that is known here. Plans and states end with a checksum: with
 * a secret masked nothing could read them again. To be called before the first line goes out, so that nothing is written.
 */
export function refuseSecrets({ redaction }: Context, lines: Iterable<string>, { name, remedy }: Intact): void {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (redaction.redact(line) === line) continue;
    const address = addressIn(line);
    const place = `line ${number} of ${name}${address === undefined ? "" : `, ${address},`}`;
    const message = `${place} would contain a credential or another secret of this run, and could not be read again if that were masked; nothing was written`;
    throw new Refusal([error({ code: "secret-inside", message, remedy })]);
  }
}

/** The object that a line of a plan or a state is about; undefined where it is about a whole zone, or damaged. */
function addressIn(line: string): string | undefined {
  const value = parse(line);
  const about = isObject(value?.["change"]) ? value["change"] : value;
  const address = about?.["address"];
  return typeof address === "string" ? address : undefined;
}
