import { asObject, objects, optionalText, sameId } from "../../core/decode.ts";
import { equal, isObject, type Json, type JsonObject } from "../../core/json.ts";
import { type Client, pathSegment } from "../../service/client.ts";
import { AmbiguousError, ifFound } from "../../service/errors.ts";
import type { Live } from "../live.ts";
import { read as readEntryPoint } from "../ruleset/remote.ts";
import { decode, encodeCreate, encodeUpdate } from "../ruleset/wire.ts";
import { ChangedMeanwhile, StepCutShort, type UpdateInput, type WriteContext } from "../traits/remote.ts";
import { guarded } from "./diff.ts";
import { fetchLive } from "./read.ts";
import { modeOf, PHASE } from "./states.ts";

/**
 * Reading the zone's step takes seven calls, plus two for each package of old rules (three are known); then come the
 * entry point and the step itself.
 */
export const STEP_CALLS = 15;
const OVERRIDE_CALLS = 2;

/** Every zone has a migration state, so there is nothing to create. */
export function create(): Promise<Live> {
  throw new Error("a migration is never created: every zone has a state of it");
}

/**
 * Moves the zone one step forward: deletes the URI-based overrides that the plan names, then writes the entry point
 * with the query for the step (docs/service.md#waf-migration). The body is the declared entry point, else what the
 * service derives from the current protection. Each request directly follows a fresh read of what it writes.
 */
export async function update(context: WriteContext, input: UpdateInput): Promise<Live> {
  const overrides = input.leaves.flatMap(({ path: [field, id] }) => (field === "uri_overrides" && id ? [id] : []));
  let hasWritten = false;
  for (const id of overrides) {
    const isSent: boolean = await orCutShort(hasWritten, removeOverride(context, input.live, id, hasWritten));
    hasWritten ||= isSent;
  }
  const needs = { calls: STEP_CALLS, issuances: 0 };
  const step = (client: Client): Promise<void> => takeStep({ ...context, client }, input, overrides, hasWritten);
  await orCutShort(hasWritten, context.freshly(needs, step, context.signal));
  return afterTheStep(context);
}

/** A failure after a part of the step took effect must not count as "nothing changed". */
async function orCutShort<T>(hasWritten: boolean, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const saysSo = error instanceof AmbiguousError || error instanceof ChangedMeanwhile;
    throw hasWritten && !saysSo ? new StepCutShort(error) : error;
  }
}

async function takeStep(
  { client, zone, signal }: WriteContext,
  input: UpdateInput,
  removed: readonly string[],
  hasWritten: boolean,
): Promise<void> {
  const live = await fetchLive(client, zone, signal);
  if (!isAsCompared(live, input, removed)) throw new ChangedMeanwhile(live, hasWritten);
  const entryPoint = await readEntryPoint(client, zone, PHASE, signal);
  if (!isEntryPointAsCompared(entryPoint, input)) throw new ChangedMeanwhile(live, hasWritten);
  const mode = modeOf(optionalText(input.desired, "target") ?? "");
  const body = input.companion ? declaredBody(input.companion) : derivedBody(input.live);
  const path = `/zones/${zone}/rulesets/phases/${PHASE}/entrypoint`;
  const query = { waf_migration: mode, phase_two: 1 };
  const saved = await client.send({ method: "PUT", path, query, body, family: "rulesets" }, signal);
  if (isNotSaved(entryPoint, decode(PHASE, asObject(saved, "result"))))
    throw new AmbiguousError("the step of the migration", {
      cause: new Error("its response shows the previous version"),
    });
}

/** Each write of an entry point increments its version, so a response with the previous one shows no write. */
function isNotSaved(before: Live | undefined, after: Live): boolean {
  return Number(after.status["version"]) <= Number(before?.status["version"] ?? 0);
}

/**
 * Compares with the zone as it was, except for the overrides that the step has deleted and what the service derives
 * without them.
 */
function isAsCompared(live: Live, { live: before, leaves }: UpdateInput, removed: readonly string[]): boolean {
  const isLeft = (override: JsonObject): boolean => !removed.includes(optionalText(override, "id") ?? "");
  const facts = ({ values, status }: Live): JsonObject => {
    const uriOverrides = objects(status, "uri_overrides").filter(isLeft);
    if (removed.length > 0) return { ...values, uri_overrides: uriOverrides };
    return guarded({ id: "", key: "", values, status }, leaves);
  };
  return equal(facts(live), facts(before));
}

/** A declared entry point must still be as compared; if none is declared, there is nothing to lose. */
function isEntryPointAsCompared(entryPoint: Live | undefined, { companion }: UpdateInput): boolean {
  if (companion) return equal(entryPoint?.values ?? {}, companion.live?.values ?? {});
  return objects(entryPoint?.values ?? {}, "rules").length === 0;
}

/** Reads without a signal. A failure leaves the step unknown: it was sent and cannot be undone. */
async function afterTheStep({ client, zone }: WriteContext): Promise<Live> {
  try {
    return await fetchLive(client, zone);
  } catch (cause) {
    throw new AmbiguousError("the step of the migration", { cause });
  }
}

function declaredBody({ desired, prior, live, options }: NonNullable<UpdateInput["companion"]>): JsonObject {
  return live ? encodeUpdate(desired, prior, live, options) : encodeCreate(desired);
}

/** The approved rules. Without the overrides, the service might derive different ones. */
function derivedBody({ status }: Live): JsonObject {
  return { name: "default", rules: objects(status, "derived_rules") };
}

/**
 * Deletes an override if it still applies to the same URLs. Returns whether it sent anything; a deleted one needs no
 * request.
 */
function removeOverride(context: WriteContext, live: Live, id: string, hasWritten: boolean): Promise<boolean> {
  const { zone, signal } = context;
  const path = `/zones/${zone}/firewall/waf/overrides/${pathSegment(id)}`;
  const planned = objects(live.status, "uri_overrides").find((override) => override["id"] === id);
  return context.freshly(
    { calls: OVERRIDE_CALLS, issuances: 0 },
    async (client) => {
      const urls = await readUrls(client, path, signal);
      if (urls === undefined) return false;
      if (!equal(urls, planned?.["urls"] ?? [])) throw new ChangedMeanwhile(live, hasWritten);
      const gone = await ifFound(() => client.send({ method: "DELETE", path, family: "waf" }, signal));
      if (gone !== undefined) sameId(asObject(gone, "result"), id);
      return true;
    },
    signal,
  );
}

async function readUrls(client: Client, path: string, signal: AbortSignal | undefined): Promise<Json | undefined> {
  const override = await ifFound(() => client.send({ method: "GET", path, family: "waf" }, signal));
  if (override === undefined) return undefined;
  return isObject(override) ? (override["urls"] ?? []) : [];
}
