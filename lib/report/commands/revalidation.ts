import { optionalText } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import { adviceOn, type FoundHostname, type Revalidated } from "../../engine/hostnames/revalidate.ts";
import { diagnosticDocument, diagnosticSentence } from "../lines/diagnostics.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { line } from "../lines/lines.ts";
import { printLines } from "../printers/text.ts";
import { counted } from "../../core/words.ts";

const UNBROKEN = { colour: false };

/** What will be done with a hostname, or why it is skipped. */
export function leftText({ zone, live }: FoundHostname, reason: string | undefined): string {
  const name = `${zone.name}/${live.key}`;
  if (reason !== undefined) return printLines([line(0, `${name}: skipped: ${reason}`)], UNBROKEN);
  const advice = adviceOn(live);
  const rest = advice === undefined ? [] : [line(2, advice)];
  return printLines(
    [line(0, `${name}: ${bothStatuses(live.status)}; its validation will be restarted`), ...rest],
    UNBROKEN,
  );
}

/** The outcome for one hostname. */
export function outcomeText({ zone, live, outcome }: Revalidated): string {
  const name = `${zone.name}/${live.key}`;
  switch (outcome.status) {
    case "done":
      return printLines([line(0, `${name}: restarted, now ${bothStatuses(outcome.after)}`)], UNBROKEN);
    case "failed": {
      const { remedy } = outcome.diagnostic;
      const rest = remedy === undefined ? [] : [line(2, remedy)];
      return printLines([line(0, `${name}: ${diagnosticSentence(outcome.diagnostic)}`), ...rest], UNBROKEN);
    }
    case "left":
      return printLines([line(0, `${name}: skipped: ${outcome.reason}`)], UNBROKEN);
    case "not-started":
      return printLines([line(0, `${name}: not started`)], UNBROKEN);
    default:
      return outcome satisfies never;
  }
}

/** The outcome for each hostname, for programs, including those that were skipped before anything was sent. */
export function revalidationDocument(ended: readonly Revalidated[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    hostnames: ended.map(({ zone, live, outcome }) => ({
      hostname: live.key,
      zone: { id: zone.id, name: zone.name },
      result: outcome.status,
      ...(outcome.status === "done" ? { status: outcome.after } : {}),
      ...(outcome.status === "left" ? { reason: outcome.reason } : {}),
      ...(outcome.status === "failed" ? { diagnostic: diagnosticDocument(outcome.diagnostic) } : {}),
    })),
  };
}

/** How many calls were made, including reads. */
export function callsText(requests: Readonly<Record<string, number>>): string {
  const calls = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return counted(calls, "API call");
}

function bothStatuses(status: JsonObject): string {
  const own = optionalText(status, "status") ?? "unknown";
  const certificate = optionalText(status, "ssl_status");
  return certificate === undefined ? own : `${own}, certificate ${certificate}`;
}
