import { createHistory, type History } from "../history.ts";
import type { CustomHostname } from "./record.ts";

/** The custom hostnames of a zone, in order of creation, with their history. */
export interface Hostnames extends History {
  /** How many there are. */
  size(): number;
  get(id: string): CustomHostname | undefined;
  /** By exact name. */
  named(hostname: string): CustomHostname | undefined;
  /** All of them, oldest first. The array belongs to the collection: do not change it. */
  all(): readonly CustomHostname[];
  add(record: CustomHostname): void;
  remove(id: string): void;
}

/** An empty collection. Adding, removing and finding take constant time; the array is rebuilt only after a removal. */
export function createHostnames(): Hostnames {
  const byId = new Map<string, CustomHostname>();
  const byName = new Map<string, CustomHostname>();
  let ordered: CustomHostname[] | undefined = [];
  return {
    ...createHistory(),
    size: () => byId.size,
    get: (id) => byId.get(id),
    named: (hostname) => byName.get(hostname),
    all: () => (ordered ??= [...byId.values()]),
    add: (record) => {
      byId.set(record.id, record);
      byName.set(record.hostname, record);
      ordered?.push(record);
    },
    remove: (id) => {
      const record = byId.get(id);
      if (record === undefined) return;
      byId.delete(id);
      byName.delete(record.hostname);
      ordered = undefined;
    },
  };
}
