import type { JsonObject } from "../../core/json.ts";
import type { Purged } from "../../engine/hostnames/purge.ts";
import { diagnosticDocument, diagnosticSentence } from "../lines/diagnostics.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { line } from "../lines/lines.ts";
import { printLines } from "../printers/text.ts";
import { counted } from "../../core/words.ts";
import { named } from "../lines/words.ts";

const UNBROKEN = { colour: false };

/** The outcome of each call, for programs. */
export function purgedDocument(ended: readonly Purged[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    purges: ended.map(({ zone, hosts, outcome }) => ({
      zone: { id: zone.id, name: zone.name },
      hosts,
      result: outcome.status,
      ...(outcome.status === "failed" ? { diagnostic: diagnosticDocument(outcome.diagnostic) } : {}),
    })),
  };
}

/** The outcome for the hosts of one call. */
export function purgedText({ zone, hosts, outcome }: Purged): string {
  const what = `${zone.name}: ${counted(hosts.length, "host")} (${named(hosts)})`;
  switch (outcome.status) {
    case "done":
      return printLines([line(0, `${what}: purged; it takes effect within seconds`)], UNBROKEN);
    case "failed": {
      const { remedy } = outcome.diagnostic;
      const rest = remedy === undefined ? [] : [line(2, remedy)];
      return printLines([line(0, `${what}: ${diagnosticSentence(outcome.diagnostic)}`), ...rest], UNBROKEN);
    }
    case "not-started":
      return printLines([line(0, `${what}: not started`)], UNBROKEN);
    default:
      return outcome satisfies never;
  }
}
