import type { ZoneId } from "../../core/brand.ts";
import { asObject, DecodeError, sameId } from "../../core/decode.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { type Client, pathSegment } from "../../service/client.ts";
import { ifFound } from "../../service/errors.ts";
import type { Live } from "../live.ts";
import type { UpdateInput, WriteContext } from "../traits/remote.ts";
import { reissues } from "./diff.ts";
import { decode, encodeCreate, encodeRevalidation, encodeUpdate } from "./wire.ts";

/** 1,000 per page if the service accepts it, else 50 (docs/service.md#pages documents both limits). */
export const PAGE_SIZES: readonly [number, ...number[]] = [1000, 50];
const family = "custom_hostnames" as const;

/** All hostnames of the zone, by list: one call per page, none per object. */
export async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  const request = { path: pathOf(zone), family, pageSizes: PAGE_SIZES, style: "page" } as const;
  for await (const item of client.pages(request, signal)) yield decode(item);
}

/** One hostname by id; undefined if it is gone. */
export async function read(
  client: Client,
  zone: ZoneId,
  { id }: { id: string },
  signal?: AbortSignal,
): Promise<Live | undefined> {
  const found = await ifFound(() => client.send({ method: "GET", path: pathOf(zone, id), family }, signal));
  return found === undefined ? undefined : decodedAs(id, found);
}

/**
 * One hostname by name. The filter may match parts of names (docs/service.md#custom-hostname-calls), so the name is
 * compared again here.
 */
export async function find(client: Client, zone: ZoneId, key: string, signal?: AbortSignal): Promise<Live | undefined> {
  const request = {
    path: pathOf(zone),
    query: { hostname: key },
    family,
    pageSizes: PAGE_SIZES,
    style: "page",
  } as const;
  for await (const item of client.pages(request, signal)) {
    const live = decode(item);
    if (live.key === key) return live;
  }
  return undefined;
}

/** Creates a hostname; with `ssl`, that orders a certificate. */
export async function create(
  { client, zone, reveal, signal }: WriteContext,
  key: string,
  sent: JsonObject,
): Promise<Live> {
  const body = encodeCreate(key, sent, reveal);
  const issues = body["ssl"] !== undefined;
  const request = { method: "POST", path: pathOf(zone), body, family, issues, needsNoRead: true } as const;
  const made = decoded(await client.send(request, signal));
  if (made.key !== key) throw new DecodeError("hostname", "the one that was sent", made.key, "another");
  return made;
}

/** Edits a hostname. */
export async function update({ client, zone, reveal, signal }: WriteContext, input: UpdateInput): Promise<Live> {
  const body = encodeUpdate(input, reveal);
  const path = pathOf(zone, input.live.id);
  const answer = await client.send({ method: "PATCH", path, body, family, issues: reissues(input.leaves) }, signal);
  return decodedAs(input.live.id, answer);
}

/**
 * Restarts the validation of a hostname, with `ssl` as just read. If the certificate is not active, that orders a new
 * one.
 */
export async function restartValidation(client: Client, zone: ZoneId, live: Live, signal?: AbortSignal): Promise<Live> {
  const path = pathOf(zone, live.id);
  const issues = live.status["ssl_status"] !== "active";
  const body = encodeRevalidation(live);
  return decodedAs(live.id, await client.send({ method: "PATCH", path, body, family, issues }, signal));
}

/** Deletes a hostname with its certificates; one that is already gone is no error. */
export async function remove({ client, zone, signal }: WriteContext, live: Live): Promise<void> {
  // The response is only an id, without an envelope (docs/service.md#envelope).
  const call = { method: "DELETE", path: pathOf(zone, live.id), family, answer: "gone" } as const;
  const gone = await ifFound(() => client.send(call, signal));
  if (gone !== undefined) sameId(asObject(gone, "result"), live.id);
}

/** The path of all hostnames, or of one. */
export function pathOf(zone: ZoneId, id?: string): string {
  return `/zones/${zone}/custom_hostnames${id === undefined ? "" : `/${pathSegment(id)}`}`;
}

function decoded(answer: Json): Live {
  return decode(asObject(answer, "result"));
}

/** Decodes the requested hostname; throws for any other. */
function decodedAs(id: string, answer: Json): Live {
  sameId(asObject(answer, "result"), id);
  return decoded(answer);
}
