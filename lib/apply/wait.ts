import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";

/** Waits between two reads grow from this … */
const FIRST_WAIT_MILLISECONDS = 2_000;
/** … by this factor … */
const GROWTH = 1.5;
/** … up to this: the service itself checks about once a minute at first (docs/service.md#back-off). */
const LONGEST_WAIT_MILLISECONDS = 60_000;

/** The objects to wait for in one zone. */
export interface Awaited {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly objects: readonly { readonly kind: KindName; readonly key: string }[];
}

/** An object that did not become ready: why, and what to do about it. */
export interface NotReady {
  readonly zone: string;
  readonly kind: KindName;
  readonly key: string;
  readonly reason: string;
  readonly remedy: string;
}

/** How a wait ended. */
export interface Waited {
  readonly ready: number;
  readonly notReady: readonly NotReady[];
}

export interface WaitWorld {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called after each read with the number of objects that are not ready yet. */
  readonly report: (left: number) => void;
}

/**
 * Waits until every object is ready or has failed for good, or until the deadline. Reads by list, with growing waits.
 * Writes nothing, so it can be stopped and repeated. Throws what the client throws, and the signal's reason.
 */
export async function waitUntilReady(
  world: WaitWorld,
  awaited: readonly Awaited[],
  limitMilliseconds: number,
): Promise<Waited> {
  const deadline = world.clock.now() + limitMilliseconds;
  const failed: NotReady[] = [];
  let ready = 0;
  for (const zone of awaited) {
    const ended = await waitInZone(world, zone, deadline);
    ready += ended.ready;
    failed.push(...ended.notReady);
  }
  return { ready, notReady: failed };
}

async function waitInZone(world: WaitWorld, { zone, objects }: Awaited, deadline: number): Promise<Waited> {
  let unready = objects.filter(({ kind }) => "readiness" in kindNamed(kind));
  let waiting = new Map<string, NotReady>();
  const failed: NotReady[] = [];
  const total = unready.length;
  for (
    let wait = FIRST_WAIT_MILLISECONDS;
    unready.length > 0;
    wait = Math.min(wait * GROWTH, LONGEST_WAIT_MILLISECONDS)
  ) {
    waiting = new Map();
    for (const kind of kindsOf(unready)) await readUnready(world, zone, kind, unready, waiting, failed);
    unready = unready.filter(({ kind, key }) => waiting.has(`${kind} ${key}`));
    world.report(unready.length);
    const left = deadline - world.clock.now();
    if (unready.length === 0 || left <= 0) break;
    await world.clock.sleep(Math.min(wait, left), world.signal);
  }
  return { ready: total - failed.length - waiting.size, notReady: [...failed, ...waiting.values()] };
}

async function readUnready(
  { client, signal }: WaitWorld,
  zone: Awaited["zone"],
  kind: Kind,
  unready: Awaited["objects"],
  waiting: Map<string, NotReady>,
  failed: NotReady[],
): Promise<void> {
  const keys = new Set(unready.filter((object) => object.kind === kind.name).map(({ key }) => key));
  const lives = new Map<string, Live>();
  // If several objects share a key, the newest counts: it was created last.
  for await (const live of kind.list(client, zone.id, [...keys], signal))
    if (keys.has(live.key)) lives.set(live.key, live);
  for (const live of lives.values()) {
    keys.delete(live.key);
    const readiness = kind.readiness?.(live) ?? "ready";
    if (readiness === "ready") continue;
    const about = {
      zone: zone.name,
      kind: kind.name,
      key: live.key,
      reason: readiness.reason,
      remedy: readiness.remedy,
    };
    if (readiness.isFinal) failed.push(about);
    else waiting.set(`${kind.name} ${live.key}`, about);
  }
  // A list may lag behind a create, so an object that it does not show is waited for.
  for (const key of keys) {
    const remedy = "plan and apply again to create it";
    waiting.set(`${kind.name} ${key}`, { zone: zone.name, kind: kind.name, key, reason: "it is not live", remedy });
  }
}

function kindsOf(objects: Awaited["objects"]): readonly Kind[] {
  return [...new Set(objects.map(({ kind }) => kind))].map(kindNamed);
}
