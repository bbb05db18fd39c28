import type { JsonObject } from "../../core/json.ts";
import type { RunHeader } from "../../state/run-record.ts";
import { present } from "../plan/json.ts";
import { FORMAT_VERSION } from "../lines/format-version.ts";

/** A run of a zone that can be undone. */
interface ListedRun {
  readonly zone: { readonly id: string; readonly name: string };
  readonly header: RunHeader;
}

/** How many characters of a hash to show, enough to identify it in a list. */
const SHORT_HASH = 16;

/** Who approved a run, how, and which hash: `saved plan by ops@runner-7, zf1:1f0c33aa9b01…`; empty without a record. */
export function approvalText({ approved, planHash }: Pick<RunHeader, "approved" | "planHash">): string {
  const who = approved ? [`${approved.how} by ${approved.by}`] : [];
  return [...who, ...(planHash === undefined ? [] : [`${planHash.slice(0, SHORT_HASH)}…`])].join(", ");
}

/** The runs that can be undone, as one document for programs. */
export function runsDocument(runs: readonly ListedRun[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    runs: runs.map(({ zone, header }) => {
      const { run, began, ended, operation, changes, planHash, approved } = header;
      return {
        run,
        zone: { id: zone.id, name: zone.name },
        began,
        ended,
        changes,
        ...present({ operation, hash: planHash }),
        ...(approved ? { approved: { by: approved.by, how: approved.how } } : {}),
      };
    }),
  };
}
