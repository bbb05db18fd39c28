import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import type { LoadedProject } from "../../lib/config/desired.ts";
import { loadProject } from "../../lib/config/load.ts";
import type { Result } from "../../lib/core/diagnostic.ts";
import type { Change } from "../../lib/plan/change.ts";
import { EVERYTHING } from "../../lib/plan/inputs.ts";
import { planZone } from "../../lib/plan/plan.ts";
import { checkShrink } from "../../lib/plan/sources.ts";
import { localAddress } from "../../lib/plan/targets.ts";
import type { Live } from "../../lib/kinds/live.ts";
import type { State, StateObject } from "../../lib/state/state.ts";
import { memoryFolder } from "./memory-files.ts";

const ZONE: { readonly id: ZoneId; readonly name: string } = { id: zoneId("1".repeat(32)), name: "saas.dev" };
const NOW = Date.UTC(2026, 10, 22, 12);

/** The format of a source file. */
export interface SourceFormat {
  readonly kind: "csv" | "ndjson";
  readonly complete?: object;
}

/** A project in memory with one zone and one source. It is read and planned without a service. */
export interface SourceProject {
  /** Reads the project, with these bytes as the file of the source. */
  read(bytes: Uint8Array): Promise<Result<LoadedProject>>;
  /** Puts another file beside the source's. */
  put(name: string, content: string): void;
}

/** What the state remembers after everything that the project declares was applied. */
export type Remembered = Pick<State, "objects" | "sources">;

/** The code with which reading or the guard refused; or else what the plan deletes, and the deletions that it blocks. */
export type Judged =
  | { readonly refusedBefore: string }
  | { readonly deleted: readonly string[]; readonly refused: readonly Change[] };

/** Creates a project whose source has this format. */
export function openSourceProject({ kind, complete }: SourceFormat): SourceProject {
  const { path, fs, put } = memoryFolder();
  const fields = { hostname: "domain", "custom_metadata.note": "note" };
  const source = { [kind]: "data/customers", fields, ...(complete ? { complete } : {}) };
  const limits = { custom_hostname: { percent: "100%", count: 10_000_000 } };
  put("zoneform.yaml", {
    version: 1,
    project: "tails",
    zones: ["zones/*.yaml"],
    deletion_limits: limits,
    sources: { customers: source },
  });
  const from = [{ source: "customers" }];
  put("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", from } });
  return {
    put,
    read: (bytes) => {
      put("data/customers", bytes);
      return loadProject({ fs, env: {}, today: NOW }, { file: `${path}/zoneform.yaml` });
    },
  };
}

/** What the state would remember after an apply of the whole project. */
export function remembered({ desired, sources }: LoadedProject): Remembered {
  const objects = desired.zones.flatMap((zone) => zone.objects.map(({ kind, key }) => objectOf(kind, key)));
  return {
    objects: new Map(objects.map((object) => [localAddress(object.kind, object.key), object])),
    sources: Object.fromEntries(sources.map(({ source, rows, first, end }) => [source, { rows, first, end }])),
  };
}

function objectOf(kind: string, key: string): StateObject {
  return { kind, key, id: `id-${key}`, applied: {} };
}

/** Plans what was read against what is remembered, after the guard of sources. Every tracked hostname is live. */
export function judge(loaded: Result<LoadedProject>, { objects, sources = {} }: Remembered): Judged {
  if (!loaded.ok) return { refusedBefore: loaded.diagnostics.map(({ code }) => code).join(", ") };
  const [desired] = loaded.value.desired.zones;
  if (!desired) throw new Error("the project has one zone");
  const counts = loaded.value.sources;
  const [shrunk] = counts.flatMap((count) => checkShrink(sources[count.source], count) ?? []);
  if (shrunk) return { refusedBefore: shrunk.code };
  const live = new Map([...objects.values()].map((object) => [object.key, liveOf(object)]));
  const { changes } = planZone({
    desired,
    state: { zone: ZONE, lineage: "l", serial: 1, secretKey: "0".repeat(64), sources, objects },
    live: { ...ZONE, objects: new Map([["custom_hostname", live]]) },
    isOneOfMany: false,
    fingerprintOf: () => undefined,
    now: new Date(NOW).toISOString(),
    selection: EVERYTHING,
    sources: Object.fromEntries(counts.map((count) => [count.source, count])),
    leaving: new Map(),
    isDestroy: false,
  });
  const deletions = changes.filter(({ action }) => action === "delete");
  return {
    deleted: deletions.filter(({ refused }) => !refused).map(({ key }) => key),
    refused: deletions.filter(({ refused }) => refused),
  };
}

function liveOf({ key, id }: StateObject): Live {
  return { key, id, values: { hostname: key }, status: { status: "active" } };
}
