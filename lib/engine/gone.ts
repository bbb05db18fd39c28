import { several } from "../core/lists.ts";
import type { ZoneId } from "../core/brand.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";
import type { State, StateObject } from "../state/state.ts";

/**
 * The tracked objects that are deleted, each read by its id. Skips objects that a stopped run left open, because they
 * have no id yet. Throws what the client throws.
 */
export async function missingObjects(
  client: Client,
  zone: ZoneId,
  { objects }: State,
  signal?: AbortSignal,
): Promise<readonly { readonly address: string; readonly object: StateObject }[]> {
  const tracked = [...objects].filter(([, { id, pending }]) => id !== "" && !pending);
  const isLive = async ([, object]: (typeof tracked)[number]): Promise<boolean> => {
    const kind = kindIfNamed(object.kind);
    return !kind || (await kind.read(client, zone, object, signal)) !== undefined;
  };
  const asked = await several(tracked, isLive);
  return asked.flatMap(([[address, object], isThere]) => (isThere ? [] : [{ address, object }]));
}
