import type { ZoneId } from "./core/brand.ts";
import { kindIfNamed } from "./resources/registry.ts";
import type { Client } from "./service/client.ts";
import type { State, StateObject } from "./state/state.ts";

/** So many objects are asked for at once; the client's own limits pace the calls. */
const AT_ONCE = 8;

/**
 * The tracked objects that are live no more, each asked for by its id. Objects that a stopped run left open are passed
 * over: they have no id yet. Throws what the client throws.
 */
export async function* missingObjects(
  client: Client,
  zone: ZoneId,
  { objects }: State,
  signal?: AbortSignal,
): AsyncIterable<{ readonly address: string; readonly object: StateObject }> {
  const tracked = [...objects].filter(([, { id, pending }]) => id !== "" && !pending);
  for (let from = 0; from < tracked.length; from += AT_ONCE) {
    const some = tracked.slice(from, from + AT_ONCE);
    const isLive = await Promise.all(
      some.map(async ([, object]) => {
        const kind = kindIfNamed(object.kind);
        return !kind || (await kind.read(client, zone, object, signal)) !== undefined;
      }),
    );
    for (const [index, [address, object]] of some.entries()) if (!isLive[index]) yield { address, object };
  }
}
