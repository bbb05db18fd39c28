import type { ZoneId } from "../../core/brand.ts";
import { asObject, objects } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Client } from "../../service/client.ts";
import { isNotFound } from "../../service/not-found.ts";
import { pathSegment } from "../../service/path-segment.ts";
import type { Live, Options, Overwritten, UpdateInput, WriteContext } from "../kind.ts";
import { isOurs, refOf, rulesByRef } from "./arrange.ts";
import { decode, encodeCreate, encodeUpdate, encodeWithout } from "./wire.ts";

const family = "rulesets" as const;

/** The entry points of the phases that are declared or tracked: one call each. */
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
}

/** The entry point of a phase, or undefined where the phase has none (public fact: 404, code 10003). */
export async function read(
  client: Client,
  zone: ZoneId,
  phase: string,
  signal?: AbortSignal,
): Promise<Live | undefined> {
  try {
    return decode(
      phase,
      asObject(await client.send({ method: "GET", path: entryPoint(zone, phase), family }, signal), "result"),
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Makes the entry point: a PUT does so where none is (public fact; a POST fails where one exists). */
export async function create({ client, zone, signal }: WriteContext, phase: string, spec: JsonObject): Promise<Live> {
  return put(client, zone, phase, encodeCreate(spec), signal);
}

/** Replaces the entry point in one call: never rule by rule (public fact: prefer a single PUT, never in parallel). */
export async function update({ client, zone, signal }: WriteContext, input: UpdateInput): Promise<Live> {
  const { spec, prior, live, options } = input;
  return put(client, zone, live.key, encodeUpdate(spec, prior, live, options), signal);
}

/** The version between the re-read and our PUT, if there is one: each write counts one up (the description, rulesets). */
export async function overwritten(
  { client, zone, signal }: WriteContext,
  before: Live,
  after: Live,
): Promise<Overwritten | undefined> {
  const [seen, written] = [versionOf(before), versionOf(after)];
  if (!(written > seen + 1)) return undefined;
  const version = `${written - 1}`;
  const path = `/zones/${zone}/rulesets/${pathSegment(after.id)}/versions/${version}`;
  try {
    const answer = await client.send({ method: "GET", path, family }, signal);
    return { version, live: decode(after.key, asObject(answer, "result")) };
  } catch {
    // That something was lost has to be said even where it cannot be shown.
    return { version };
  }
}

function versionOf({ status }: Live): number {
  return Number(status["version"]);
}

/** Takes our rules away; the whole ruleset where no rule of others is in it. */
export async function remove(context: WriteContext, live: Live, prior: JsonObject | undefined): Promise<Live | void> {
  const { client, zone, signal } = context;
  const ours = new Set(rulesByRef(prior).keys());
  const isOurRule = (ref: string): boolean => isOurs(ref, ours, { own: [] } satisfies Options);
  if (objects(live.values, "rules").some((rule) => !isOurRule(refOf(rule)))) {
    return put(client, zone, live.key, encodeWithout(live, isOurRule), signal);
  }
  try {
    const path = `/zones/${zone}/rulesets/${pathSegment(live.id)}`;
    // Public fact: 204.
    await client.send({ method: "DELETE", path, family, answer: "nothing" }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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
