import type { DesiredZone } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Client } from "../service/client.ts";
import type { State } from "../state/state.ts";

/** What `readKind` needs to read one kind of object. */
export interface Reading {
  readonly client: Client;
  readonly desired: DesiredZone;
  readonly state: State | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the live objects of one kind, by natural key. `keys` are those that are declared or tracked. */
export async function readKind(
  { client, desired, state, signal }: Reading,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Live>> {
  const lives = kind.list(client, desired.id, keys, signal);
  if (kind.replacement === "create-first") return byMeaning(kind, lives, desired, state);
  const found = new Map<string, Live>();
  for await (const live of lives) found.set(live.key, live);
  return found;
}

/**
 * Several objects may share a key. A tracked one is found by its id, whatever its key; of the others, it takes the one
 * that matches the declaration, else the newest.
 */
async function byMeaning(
  kind: Kind,
  lives: AsyncIterable<Live>,
  desired: DesiredZone,
  state: State | undefined,
): Promise<ReadonlyMap<string, Live>> {
  const tracked = new Map<string, string>();
  for (const { kind: name, id, key } of state?.objects.values() ?? []) if (name === kind.name) tracked.set(id, key);
  const declared = new Map(
    desired.objects.filter((object) => object.kind === kind.name).map((each) => [each.key, each]),
  );
  const isAsDeclared = (live: Live): boolean => {
    const object = declared.get(live.key);
    if (!object) return false;
    return kind.compare({ desired: object.spec, prior: undefined, live, options: object.options }).leaves.length === 0;
  };
  const found = new Map<string, Live>();
  const untracked = new Map<string, Live>();
  for await (const live of lives) {
    const key = tracked.get(live.id);
    if (key !== undefined) found.set(key, { ...live, key });
    else {
      const other = untracked.get(live.key);
      if (!other || !isAsDeclared(other) || isAsDeclared(live)) untracked.set(live.key, live);
    }
  }
  return new Map([...untracked, ...found]);
}
