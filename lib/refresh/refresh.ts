import type { DesiredZone } from "../config/desired.ts";
import type { ZoneId } from "../core/brand.ts";
import { asObject, optionalText, optionalObject } from "../core/decode.ts";
import { defined, type JsonObject } from "../core/json.ts";
import { CODES, error, problem, Refusal } from "../core/diagnostic.ts";
import { several } from "../core/lists.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed, KINDS, isHostname } from "../kinds/registry.ts";
import { type Level, SUBSCRIPTIONS } from "../kinds/traits/judged.ts";
import type { Client } from "../service/client.ts";
import { ApiError, isNotAllowed } from "../service/errors.ts";
import type { State, StateObject } from "../state/state.ts";

/** A zone as it is live. */
export interface LiveZone {
  readonly id: ZoneId;
  readonly name: string;
  /** Absent if the caller did not ask for it. */
  readonly subscription?: Subscription;
  /** The token may not read the zone itself, so its name was not compared with the YAML. */
  readonly isUnread?: true;
  /** By kind, then by natural key. A kind that is neither declared nor tracked is not read and is absent. */
  readonly objects: ReadonlyMap<KindName, ReadonlyMap<string, Live>>;
}

/**
 * Reads the declared and tracked objects of one zone, by list: the pages of the custom hostnames and a constant number
 * of other calls. Throws what the client throws, and `Refusal` if the zone's name is not the one in the YAML.
 */
export async function refresh(
  client: Client,
  desired: DesiredZone,
  state: State | undefined,
  signal?: AbortSignal,
): Promise<LiveZone> {
  const zone = await readZone(client, desired, signal);
  if (!(zone instanceof ApiError)) return { ...zone, objects: await readObjects(client, desired, state, signal) };
  // A token works without Zone Read, but then another response has to prove that it reaches the zone.
  const objects = await readObjects(client, desired, state, signal).catch((failure: unknown) => {
    throw isNotAllowed(failure) ? zone : failure;
  });
  if (objects.size === 0) throw zone;
  return { id: desired.id, name: desired.name, subscription: UNREAD_ZONE, isUnread: true, objects };
}

async function readObjects(
  client: Client,
  desired: DesiredZone,
  state: State | undefined,
  signal?: AbortSignal,
): Promise<LiveZone["objects"]> {
  const objects = new Map<KindName, ReadonlyMap<string, Live>>();
  for (const kind of KINDS) {
    const keys = wantedKeys(kind, desired, state);
    if (!keys) continue;
    const reading = { client, desired, state, signal };
    objects.set(kind.name, await addUnlisted(reading, kind, keys, await readKind(reading, kind, keys)));
  }
  return objects;
}

/** Returns the zone itself, or the refusal if the token may not read it. */
async function readZone(
  client: Client,
  desired: DesiredZone,
  signal?: AbortSignal,
): Promise<Omit<LiveZone, "objects"> | ApiError> {
  const request = { method: "GET", path: `/zones/${desired.id}`, family: "zones" } as const;
  const answer = await client.send(request, signal).catch((failure: unknown) => {
    if (isNotAllowed(failure)) return failure;
    throw failure;
  });
  if (answer instanceof ApiError) return answer;
  const zone = asObject(answer, "result");
  const name = optionalText(zone, "name") ?? desired.name;
  if (name !== desired.name) throw new Refusal([otherZone(desired, name)]);
  const subscription = await readSubscription(client, desired, zone, signal);
  return { id: desired.id, name, ...defined({ subscription }) };
}

function otherZone(desired: DesiredZone, name: string): ReturnType<typeof error> {
  return error(problem("zone-name-differs", { id: desired.id, name, declared: desired.name }, { at: desired.at }));
}

/** The declared and tracked keys; empty if only foreign rules matter, undefined if the kind need not be read. */
function wantedKeys(kind: Kind, desired: DesiredZone, state: State | undefined): readonly string[] | undefined {
  if (isHostname(kind.name) && desired.hostnames.isDeclared) return [];
  const keys = new Set<string>();
  for (const object of desired.objects) {
    if (object.kind === kind.name) keys.add(object.key);
    const { companion } = kindNamed(object.kind);
    if (companion?.kind === kind.name) keys.add(companion.key);
  }
  for (const object of state?.objects.values() ?? []) if (object.kind === kind.name) keys.add(object.key);
  const isWatched = desired.objects.some((object) => kind.shared?.isSkippable(object));
  return keys.size === 0 && !isWatched ? undefined : [...keys].sort();
}

/** How many objects that are missing from a list to read by id; a list that lags would miss fewer. */
const MOST_ASKED_FOR = 100;

/**
 * Adds tracked objects that the list does not show although they are live. A list may lag, so absence from it is not
 * evidence; "not found" by id is. If very many are missing, it reads the list once more instead: they were probably
 * deleted, and reading each by id would cost more than the whole refresh.
 */
async function addUnlisted(
  reading: Reading,
  kind: Kind,
  keys: readonly string[],
  listed: ReadonlyMap<string, Live>,
): Promise<ReadonlyMap<string, Live>> {
  if (!kind.isListed) return listed;
  const missing = missingFrom(reading, kind, listed);
  if (missing.length === 0) return listed;
  if (missing.length <= MOST_ASKED_FOR) return new Map([...listed, ...(await askedFor(reading, kind, missing))]);
  const again = await readKind(reading, kind, keys);
  const both = new Map([...listed, ...again]);
  const still = missingFrom(reading, kind, both).slice(0, MOST_ASKED_FOR);
  return new Map([...both, ...(await askedFor(reading, kind, still))]);
}

/**
 * The tracked objects that the list does not show. If the list shows another id under an object's key, it may show a
 * deleted object. Hostnames that only a policy mentions are skipped: their absence creates or deletes nothing.
 */
function missingFrom({ state }: Reading, kind: Kind, listed: ReadonlyMap<string, Live>): readonly StateObject[] {
  return [...(state?.objects.values() ?? [])].filter(
    (object) =>
      object.kind === kind.name && object.id !== "" && !object.undeclared && listed.get(object.key)?.id !== object.id,
  );
}

async function askedFor(
  { client, desired, signal }: Reading,
  kind: Kind,
  missing: readonly StateObject[],
): Promise<ReadonlyMap<string, Live>> {
  const found = new Map<string, Live>();
  const read = (object: StateObject): Promise<Live | undefined> => kind.read(client, desired.id, object, signal);
  for (const [{ key }, live] of await several(missing, read)) {
    // If the key is the name, another name means another object, whatever the state says. A replaced object has its own
    // key in the state, which differs from its live key.
    if (live && (kind.replacement === "create-first" || live.key === key)) found.set(key, { ...live, key });
  }
  return found;
}

/** The parameters of `readKind`. */
export interface Reading {
  readonly client: Client;
  readonly desired: DesiredZone;
  readonly state: State | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the live objects of one kind, by natural key. `keys` are the declared and tracked ones. */
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
    return (
      kind.compare({ desired: object.values, prior: undefined, live, options: object.options }).leaves.length === 0
    );
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

/** What we know of a zone's subscription. It is a hint: a contract may grant more (docs/service.md#zones-and-plans). */
type Subscription =
  | { readonly status: "known"; readonly level: Level }
  | {
      readonly status: "unknown";
      /** Why it could not be read, as a clause. */
      readonly because: string;
      readonly remedy: string;
    };

/** The subscription when the token may not read the zone. */
const UNREAD_ZONE: Subscription = {
  status: "unknown",
  because: "the token lacks Zone Read",
  remedy: CODES["zone-unread"].remedy,
};

/**
 * Reads the subscription from the zone itself. The service may stop showing it there
 * (docs/service.md#zones-and-plans); then it takes one more call, and only if the configuration uses something that not
 * every subscription allows.
 */
async function readSubscription(
  client: Client,
  desired: DesiredZone,
  zone: JsonObject,
  signal?: AbortSignal,
): Promise<Subscription | undefined> {
  const shown = optionalText(optionalObject(zone, "plan") ?? {}, "legacy_id");
  if (shown !== undefined) return levelOf(shown);
  return dependsOnIt(desired) ? askFor(client, desired.id, signal) : undefined;
}

async function askFor(client: Client, id: ZoneId, signal?: AbortSignal): Promise<Subscription> {
  try {
    const path = `/zones/${id}/subscription`;
    const answer = asObject(await client.send({ method: "GET", path, family: "zones" }, signal), "result");
    return levelOf(optionalText(optionalObject(answer, "rate_plan") ?? {}, "id") ?? "");
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const because = isNotAllowed(failure) ? "the token lacks Billing Read" : "Cloudflare does not show it";
    return { status: "unknown", because, remedy: "give the token Billing Read for the zone" };
  }
}

/** Names vary (`pro`, `cf_pro`), so we look for the word in them. */
function levelOf(name: string): Subscription {
  const level = SUBSCRIPTIONS.find((each) =>
    name
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(each),
  );
  if (level !== undefined) return { status: "known", level };
  const because = `${JSON.stringify(name)} is not a subscription that Zoneform knows`;
  return { status: "unknown", because, remedy: "see the zone's subscription in the dashboard" };
}

/** Whether the configuration uses something that depends on the subscription. */
function dependsOnIt({ objects, hostnames }: DesiredZone): boolean {
  return hostnames.isDeclared || objects.some(({ kind }) => kindNamed(kind).subscription !== undefined);
}
