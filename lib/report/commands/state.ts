import type { JsonObject } from "../../core/json.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { State, StateObject } from "../../state/state.ts";
import type { Holding } from "../../state/lock.ts";
import { diagnosticDocument } from "../lines/diagnostics.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { present } from "../plan/json.ts";

/** A zone, as documents name it. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** The tracked objects, for programs; a zone without a state has no serial. */
export function trackedDocument(
  zones: readonly { readonly zone: Named; readonly state: State | undefined }[],
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    zones: zones.map(({ zone, state }) => ({
      zone: { id: zone.id, name: zone.name },
      ...present({ lineage: state?.lineage, serial: state?.serial }),
      objects: [...(state?.objects ?? [])].map(([address, { kind, key, id, protect, seen }]) => ({
        address,
        kind,
        key,
        id,
        ...present({ protect, last_seen: seen?.status }),
      })),
    })),
  };
}

/** What is remembered about one object, for programs. */
export function objectDocument(importId: string | undefined, object: StateObject): object {
  return { format_version: FORMAT_VERSION, import_id: importId, ...object };
}

/** What is kept for each zone and what is wrong with it, for programs. */
export function examinedDocument(
  zones: readonly {
    readonly zone: Named;
    readonly facts: readonly string[];
    readonly gone: readonly string[];
    readonly findings: readonly Diagnostic[];
  }[],
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    zones: zones.map(({ zone, facts, gone, findings }) => ({
      zone: { id: zone.id, name: zone.name },
      facts,
      gone,
      findings: findings.map(diagnosticDocument),
    })),
  };
}

/** The holder of each zone's lock, for programs; `now` is in ms since the epoch. */
export function locksDocument(
  zones: readonly { readonly zone: Named; readonly holding?: Holding; readonly unlock?: string }[],
  now: number,
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    zones: zones.map(({ zone, holding, unlock }) => ({
      zone: { id: zone.id, name: zone.name },
      held: holding !== undefined,
      ...(holding === undefined ? {} : { lock: { ...lockDocument(holding, now), ...present({ unlock }) } }),
    })),
  };
}

/** The age is absent if the lock gives no time, or a time in the future of this clock. */
function lockDocument({ unlockId, holder, isAlive }: Holding, now: number): JsonObject {
  const age = Math.floor((now - Date.parse(holder?.since ?? "")) / 1000);
  return {
    ...present({
      id: unlockId,
      alive: isAlive,
      who: holder?.who,
      process_id: holder?.processId,
      operation: holder?.operation,
      since: holder?.since,
      age_seconds: age >= 0 ? age : undefined,
      run_url: holder?.runUrl,
    }),
  };
}
