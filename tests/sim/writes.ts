import type { KindName } from "../../lib/kinds/kind.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { verifiedCrc } from "../../lib/state/journal.ts";
import { ALL_KINDS, SIM_KINDS } from "./kinds.ts";
import type { Ledger } from "./ledger.ts";
import type { Shelf } from "./shelf.ts";
import { journalLine } from "./vault.ts";

/** The object of a write. */
export interface Write {
  readonly kind: KindName;
  readonly key: string;
  readonly verb: "create" | "change" | "delete";
  readonly id?: string;
}

/** What a request would write; undefined for a request that no engine should send. */
export function writeOf({ names }: Ledger, request: HttpRequest): Write | undefined {
  for (const [kind, { written }] of ALL_KINDS) {
    const write = written(request, names);
    if (write) return { kind, ...write };
  }
  return undefined;
}

/**
 * Which requests each action may send: a create for a create or a replacement, and so on; the same request creates and
 * changes settings.
 */
export function isAllowed(action: string, verb: Write["verb"]): boolean {
  switch (verb) {
    case "create":
      return action === "create" || action === "replace";
    case "change":
      return action === "update" || action === "adopt" || action === "create" || action === "delete";
    case "delete":
      return action === "delete" || action === "replace";
    default:
      return verb satisfies never;
  }
}

/** Whether the zone's journal, as a power cut would leave it, has an intent for the write, in a part that can be read. */
export function hasDurableIntent(shelf: Shelf, zone: string, { kind, key }: Write): boolean {
  // A replaced object that shares its key with another one is known by the key with its id.
  const address = key === "" ? kind : `${kind}["${key}${SIM_KINDS[kind].sharesKeys ? "" : '"]'}`;
  const wanted = `"address":${JSON.stringify(address).slice(0, -1)}`;
  const journal = shelf.durable(zone, "journal") ?? "";
  let crc: string | undefined = "";
  for (const [index, written] of journal.split("\n").entries()) {
    const line = journalLine(written, index + 1);
    crc = verifiedCrc(line, crc);
    if (crc === undefined) return false;
    if (line.includes('"kind":"intent"') && line.includes(wanted)) return true;
  }
  return false;
}
