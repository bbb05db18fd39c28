import { optionalNumber, optionalText } from "../core/decode.ts";
import { defined } from "../core/defined.ts";
import type { JsonObject } from "../core/json.ts";
import type { LockHolder } from "./store.ts";

/** No real field of a holder is longer. */
const LONGEST_FIELD = 300;

/** A holder as JSON, for the mark that a lock leaves. */
export function encodeHolder({ id, who, processId, operation, since, runUrl }: LockHolder): JsonObject {
  return { id, who, process_id: processId, operation, since, ...defined({ run_url: runUrl }) };
}

/** Reads a holder; undefined if it has no id. Anybody could have written it, so its texts are escaped. */
export function decodeHolder(from: JsonObject): LockHolder | undefined {
  const id = optionalText(from, "id");
  if (id === undefined) return undefined;
  const runUrl = optionalText(from, "run_url");
  return {
    id: harmless(id),
    who: harmless(optionalText(from, "who") ?? "somebody"),
    processId: optionalNumber(from, "process_id") ?? 0,
    operation: harmless(optionalText(from, "operation") ?? "something"),
    since: harmless(optionalText(from, "since") ?? "an unknown time"),
    ...(runUrl === undefined ? {} : { runUrl: harmless(runUrl) }),
  };
}

/** Escapes control and invisible characters, so that a lock's mark cannot write to anybody's terminal. */
function harmless(text: string): string {
  return text
    .slice(0, LONGEST_FIELD)
    .replace(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}
