import { defined } from "../core/defined.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import { formatAddress } from "../core/address.ts";
import { several } from "../core/several.ts";
import { localAddress } from "../plan/targets.ts";
import type { Leaving } from "../plan/inputs.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";
import type { State } from "../state/state.ts";
import type { World } from "./world.ts";

/** How many new ones to ask for by name; for more of them, the zone that they move to is listed once, as a refresh does. */
const MOST_ASKED_FOR = 50;

/**
 * The hostnames that move away from a zone and are still tracked there, each with the reason why it cannot be deleted
 * yet; only the zone that it moves to knows that. A move is computed anew by each run, so it continues wherever a run
 * stopped. Throws what the client throws.
 */
export async function leavingHostnames(
  world: Pick<World, "connect" | "signal">,
  { desired: { zones, budget } }: LoadedProject,
  zone: DesiredZone,
  state: State | undefined,
): Promise<ReadonlyMap<string, Leaving>> {
  const leaving = new Map<string, Leaving>();
  const isTracked = (key: string): boolean => state?.objects.has(localAddress("custom_hostname", key)) === true;
  for (const target of zones) {
    const moves = target.moves.filter(({ from }) => from.zone === zone.name && isTracked(from.key));
    const keys = moves.map(({ to }) => to.key);
    const there = await liveThere(world.connect(budget), target, keys, world.signal);
    for (const { from, to } of moves) {
      const { key } = to;
      const address = formatAddress({ zone: target.name, kind: "custom_hostname", key });
      const zoneName = target.name === zone.name ? "" : target.name;
      const where = [key === from.key ? "" : key, zoneName].filter((name) => name !== "").join(" in ");
      const waits = whyItWaits(where, there.get(key));
      leaving.set(from.key, { to: { address, zone: target.id, key }, ...defined({ waits }) });
    }
  }
  return leaving;
}

/** The hostnames that the zone already has. */
async function liveThere(
  client: Client,
  target: DesiredZone,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Live>> {
  const kind = kindNamed("custom_hostname");
  const found = new Map<string, Live>();
  if (keys.length > MOST_ASKED_FOR) {
    const wanted = new Set(keys);
    for await (const live of kind.list(client, target.id, keys, signal))
      if (wanted.has(live.key)) found.set(live.key, live);
    return found;
  }
  const find = (key: string): Promise<Live | undefined> => kind.find(client, target.id, key, signal);
  for (const [key, live] of await several(keys, find)) if (live) found.set(key, live);
  return found;
}

function whyItWaits(where: string, live: Live | undefined): string | undefined {
  const kind = kindNamed("custom_hostname");
  if (!live) return `it moves to ${where}, and is not live there yet`;
  const readiness = kind.readiness?.(live) ?? "ready";
  return readiness === "ready" ? undefined : `it moves to ${where}, and does not serve there yet: ${readiness.reason}`;
}
