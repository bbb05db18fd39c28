import type { Budget, DesiredZone, LoadedProject, Move } from "./config/desired.ts";
import { formatAddress } from "./core/address.ts";
import { inBatches } from "./core/batches.ts";
import { localAddress } from "./plan/targets.ts";
import type { Leaving } from "./plan/inputs.ts";
import { kindNamed } from "./resources/registry.ts";
import type { Client } from "./service/client.ts";
import type { State } from "./state/state.ts";

/** What looking for the new ones needs. */
export interface LeavingWorld {
  readonly connect: (budget: Budget) => Client;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The hostnames of a zone that move away and are tracked there still, each with what keeps it from going: one call for
 * each, to the zone that it moves to. Nothing of a move is remembered, so that it goes on wherever a run stopped.
 * Throws what the client throws.
 */
export async function leavingHostnames(
  world: LeavingWorld,
  { desired: { zones, budget } }: LoadedProject,
  zone: DesiredZone,
  state: State | undefined,
): Promise<ReadonlyMap<string, Leaving>> {
  const leaving = new Map<string, Leaving>();
  const isTracked = (key: string): boolean => state?.objects.has(localAddress("custom_hostname", key)) === true;
  const going = zones.flatMap((target) =>
    target.moves.flatMap((move) =>
      move.from.zone === zone.name && isTracked(move.from.key) ? [{ target, move }] : [],
    ),
  );
  const reason = ({ target, move }: (typeof going)[number]): Promise<string | undefined> =>
    whyItWaits(world.connect(budget), target, move, world.signal);
  for await (const [{ target, move }, waits] of inBatches(going, reason)) {
    const { key } = move.to;
    const address = formatAddress({ zone: target.name, kind: "custom_hostname", key });
    const to = { address, zone: target.id, key };
    leaving.set(move.from.key, { to, ...(waits === undefined ? {} : { waits }) });
  }
  return leaving;
}

async function whyItWaits(
  client: Client,
  target: DesiredZone,
  { to }: Move,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const kind = kindNamed("custom_hostname");
  const live = await kind.find(client, target.id, to.key, signal);
  if (!live) return `it moves to ${target.name}, and is not there yet`;
  const readiness = kind.readiness?.(live) ?? "ready";
  return readiness === "ready"
    ? undefined
    : `it moves to ${target.name}, and does not serve there yet: ${readiness.reason}`;
}
