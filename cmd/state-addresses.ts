import { resolve } from "node:path";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import { errorCode, type FileSystem } from "../lib/core/file-system.ts";
import { addressFault, spelledKey } from "../lib/engine/look-up.ts";
import { parseTypedAddress } from "../lib/kinds/registry.ts";
import { localAddress } from "../lib/plan/targets.ts";
import { linesOf } from "../lib/state/engines/local/lines.ts";
import type { Tracked } from "./states.ts";

/**
 * The address, within the zone of a tracked object, that it is to have, with its key as the kind spells it. Throws `Refusal`
 * for what is none, or of another zone.
 */
export function toAddress({ zone }: Tracked, text: string): string {
  const fault = addressFault(text);
  const parts = parseTypedAddress(text);
  if (fault || !parts) throw new Refusal(fault ? [fault] : []);
  if (parts.zone === undefined || parts.zone === zone.name || parts.zone === zone.id)
    return localAddress(parts.kind, parts.key === undefined ? "" : spelledKey(parts.kind, parts.key));
  const message = `${text} is in another zone than ${zone.name}: a state has only the objects of its own zone`;
  throw new Refusal([error({ code: "moved-to-another-zone", message, remedy: "give an address in the same zone" })]);
}

const STATE_FILE = {
  name: "the state",
  damage: "state-damaged",
  remedy: "give a file from zoneform state pull; nothing was changed",
} as const;

/** The lines of a state in a file. Throws `Refusal` where it cannot be read. */
export async function* readStateLines(fs: FileSystem, cwd: string, path: string): AsyncIterable<string> {
  try {
    yield* linesOf(fs.stream(resolve(cwd, path)), path, "keep", STATE_FILE);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined || cause instanceof Refusal) throw cause;
    const reason = code === "ENOENT" ? "there is no such file" : code;
    const message = `cannot read ${path}: ${reason}`;
    throw new Refusal([error({ code: "cannot-read", message, remedy: "check the path" })], 1, { cause });
  }
}
