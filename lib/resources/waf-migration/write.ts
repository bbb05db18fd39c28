import { asObject, objects, optionalText, sameId } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import { AmbiguousError } from "../../service/errors.ts";
import { isNotFound } from "../../service/not-found.ts";
import { pathSegment } from "../../service/path-segment.ts";
import type { Live, UpdateInput, WriteContext } from "../kind.ts";
import { decode, encodeCreate, encodeUpdate } from "../ruleset/wire.ts";
import { fetchLive } from "./read.ts";
import { modeOf } from "./states.ts";

const PHASE = "http_request_firewall_managed";

/** Every zone has a state of its migration: there is nothing to create. */
export function create(): Promise<Live> {
  throw new Error("a migration is never created: every zone has a state of it");
}

/**
 * Takes the zone one step further: deletes the URI-based overrides that the plan names, then saves the entry point with
 * the query that means the step (the description, section 4). Its body is the declared entry point, else what the
 * service derives from the present protection.
 */
export async function update(context: WriteContext, input: UpdateInput): Promise<Live> {
  const { client, zone, signal } = context;
  const overrides = input.leaves.flatMap(({ path: [field, id] }) => (field === "uri_overrides" && id ? [id] : []));
  for (const id of overrides) await removeOverride(context, id);
  const mode = modeOf(optionalText(input.spec, "target") ?? "");
  const body = input.companion ? declaredBody(input.companion) : derivedBody(input.live);
  const path = `/zones/${zone}/rulesets/phases/${PHASE}/entrypoint`;
  const query = { waf_migration: mode, phase_two: 1 };
  const saved = await client.send({ method: "PUT", path, query, body, family: "rulesets" }, signal);
  decode(PHASE, asObject(saved, "result"));
  return afterTheStep(context);
}

/** Read without a signal, and a failure leaves the step unknown: it has been sent, and cannot be taken back. */
async function afterTheStep({ client, zone }: WriteContext): Promise<Live> {
  try {
    return await fetchLive(client, zone);
  } catch (cause) {
    throw new AmbiguousError("the step of the migration", { cause });
  }
}

function declaredBody({ spec, prior, live, options }: NonNullable<UpdateInput["companion"]>): JsonObject {
  return live ? encodeUpdate(spec, prior, live, options) : encodeCreate(spec);
}

/** As it was just read, and as it was approved: whatever becomes of it when the overrides are gone. */
function derivedBody({ status }: Live): JsonObject {
  return { name: "default", rules: objects(status, "derived_rules") };
}

async function removeOverride({ client, zone, signal }: WriteContext, id: string): Promise<void> {
  try {
    const path = `/zones/${zone}/firewall/waf/overrides/${pathSegment(id)}`;
    sameId(asObject(await client.send({ method: "DELETE", path, family: "waf" }, signal), "result"), id);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
