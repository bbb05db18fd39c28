import type { ZoneId } from "../../core/brand.ts";
import { asObject, objects, text } from "../../core/decode.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { type Client, pathSegment } from "../../service/client.ts";
import { ApiError, isNotAllowed, ifFound } from "../../service/errors.ts";
import type { Live, Options } from "../live.ts";
import type { Overwritten, ReadContext, UpdateInput, WriteContext } from "../traits/remote.ts";
import { isOurs, refOf, rulesByRef } from "./arrange.ts";
import { executedId } from "./roles.ts";
import { decode, encodeCreate, encodeUpdate, encodeWithout, onlyEdited } from "./wire.ts";

const family = "rulesets" as const;

/** Stands for all rulesets if the token may not list them. */
const THE_LIST = "the list of rulesets";

/**
 * The entry points of the declared and tracked phases, one call each, and the others of the zone, because their rules
 * may skip ours: a call for the list, and one for each. Entry points that the token may not read are marked so.
 */
export async function* list(
  client: Client,
  zone: ZoneId,
  keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  for (const phase of keys) {
    const live = await read(client, zone, phase, signal);
    if (live) yield live;
  }
  const listed = await ifAllowed(entryPoints(client, zone, signal));
  if (listed === "not allowed") yield unread("", THE_LIST);
  for (const { id, phase } of listed === "not allowed" ? [] : listed) {
    if (keys.includes(phase)) continue;
    const live = await ifAllowed(read(client, zone, phase, signal));
    if (live) yield live === "not allowed" ? unread(id, phase) : live;
  }
}

interface ListedEntryPoint {
  readonly id: string;
  readonly phase: string;
}

async function entryPoints(
  client: Client,
  zone: ZoneId,
  signal: AbortSignal | undefined,
): Promise<readonly ListedEntryPoint[]> {
  const found: ListedEntryPoint[] = [];
  const request = { path: `/zones/${zone}/rulesets`, family, pageSizes: [50], style: "cursor" } as const;
  for await (const ruleset of client.pages(request, signal))
    if (ruleset["kind"] === "zone") found.push({ id: text(ruleset, "id"), phase: text(ruleset, "phase") });
  return found;
}

async function ifAllowed<T>(asked: Promise<T>): Promise<T | "not allowed"> {
  return asked.catch((failure: unknown) => {
    if (isNotAllowed(failure) || (failure instanceof ApiError && failure.status === 403)) return "not allowed";
    throw failure;
  });
}

function unread(id: string, key: string): Live {
  return { id, key, values: {}, status: { unread: true } };
}

/**
 * The entry point of a phase, or undefined if the phase has none (404, code 10003: docs/service.md#rulesets). Its status
 * has the custom rulesets that it executes, one call each, because rules in them may skip ours.
 */
export async function read(
  client: Client,
  zone: ZoneId,
  phase: string,
  signal?: AbortSignal,
): Promise<Live | undefined> {
  const get = async (path: string): Promise<Live | undefined> => {
    const found = await ifFound(() => client.send({ method: "GET", path, family }, signal));
    return found === undefined ? undefined : decode(phase, asObject(found, "result"));
  };
  const live = await get(entryPoint(zone, phase));
  const customs: Record<string, JsonObject> = {};
  for (const id of new Set(live ? customRulesets(live) : [])) {
    const custom = await get(`/zones/${zone}/rulesets/${pathSegment(id)}`);
    if (custom) customs[id] = custom.values;
  }
  return live && { ...live, status: { ...live.status, custom_rulesets: customs } };
}

/** Only in this phase can rules of custom rulesets skip others (docs/service.md#rules). */
function customRulesets({ key, values }: Live): readonly string[] {
  if (key !== "http_request_firewall_custom") return [];
  return objects(values, "rules").flatMap((rule) => {
    const id = rule["action"] === "execute" && rule["enabled"] !== false ? executedId(rule) : undefined;
    return id === undefined ? [] : [id];
  });
}

/** Creates the entry point with a PUT (docs/service.md#rulesets; a POST would fail if one exists). */
export async function create({ client, zone, signal }: WriteContext, phase: string, sent: JsonObject): Promise<Live> {
  return put(client, zone, phase, encodeCreate(sent), signal);
}

/**
 * Edits a single rule with the call for one rule, which leaves all others alone; anything more replaces the entry point
 * in one call (docs/service.md#rulesets).
 */
export async function update({ client, zone, signal }: WriteContext, input: UpdateInput): Promise<Live> {
  const { desired, prior, live, options } = input;
  const body = encodeUpdate(desired, prior, live, options);
  const only = onlyEdited(live.values, body);
  if (!only) return put(client, zone, live.key, body, signal);
  const path = `/zones/${zone}/rulesets/${pathSegment(live.id)}/rules/${pathSegment(only.id)}`;
  const answer = await client.send({ method: "PATCH", path, body: only.rule, family }, signal);
  return decode(live.key, asObject(answer, "result"));
}

/** How many versions to read, newest first: a ruleset is not edited more often than this during one request. */
const MOST_VERSIONS = 20;

/**
 * The version that our write replaced, if it is not the one that was read and lost something: each write adds one
 * (docs/service.md#rulesets). If the response to the write was lost, foreign versions that were written after it come
 * first; they contain our rules too.
 */
export async function overwritten(
  context: ReadContext,
  before: Live,
  after: Live,
  isOurs: (live: Live) => boolean,
): Promise<Overwritten | undefined> {
  const [seen, written] = [versionOf(before), versionOf(after)];
  let above = after;
  for (let version = written - 1; version > seen; version -= 1) {
    const live = written - version > MOST_VERSIONS ? undefined : await readVersion(context, after, `${version}`);
    // Reports that something was lost even if it cannot be shown.
    if (!live) return { version: `${version}` };
    if (!isOurs(live)) return isKept(before, live, above) ? undefined : { version: `${version}`, live };
    above = live;
  }
  return undefined;
}

/** Whether a version still has what others had written since our read, as after a write of a single rule. */
function isKept(read: Live, theirs: Live, ours: Live): boolean {
  const { rules: _theirs, ...theirRest } = theirs.values;
  const { rules: _ours, ...ourRest } = ours.values;
  const [was, found, now] = [rulesByRef(read.values), rulesByRef(theirs.values), rulesByRef(ours.values)];
  return (
    equal(theirRest, ourRest) &&
    equal([...found.keys()], [...now.keys()]) &&
    [...found].every(([ref, rule]) => equal(rule, now.get(ref)) || equal(rule, was.get(ref)))
  );
}

async function readVersion(
  { client, zone, signal }: ReadContext,
  { id, key }: Live,
  version: string,
): Promise<Live | undefined> {
  const path = `/zones/${zone}/rulesets/${pathSegment(id)}/versions/${version}`;
  try {
    return decode(key, asObject(await client.send({ method: "GET", path, family }, signal), "result"));
  } catch {
    return undefined;
  }
}

function versionOf({ status }: Live): number {
  return Number(status["version"]);
}

/** Deletes our rules, or the whole ruleset if it has no foreign rule. */
export async function remove(context: WriteContext, live: Live, prior: JsonObject | undefined): Promise<Live | void> {
  const { client, zone, signal } = context;
  const ours = new Set(rulesByRef(prior).keys());
  const isOurRule = (ref: string): boolean => isOurs(ref, ours, { own: [] } satisfies Options);
  if (objects(live.values, "rules").some((rule) => !isOurRule(refOf(rule)))) {
    return put(client, zone, live.key, encodeWithout(live, isOurRule), signal);
  }
  const path = `/zones/${zone}/rulesets/${pathSegment(live.id)}`;
  // The response is 204 (docs/service.md#envelope).
  await ifFound(() => client.send({ method: "DELETE", path, family, answer: "nothing" }, signal));
}

async function put(client: Client, zone: ZoneId, phase: string, body: JsonObject, signal?: AbortSignal): Promise<Live> {
  return decode(
    phase,
    asObject(await client.send({ method: "PUT", path: entryPoint(zone, phase), body, family }, signal), "result"),
  );
}

function entryPoint(zone: ZoneId, phase: string): string {
  return `/zones/${zone}/rulesets/phases/${pathSegment(phase)}/entrypoint`;
}
