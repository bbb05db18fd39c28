import type { ZoneId } from "../../core/brand.ts";
import {
  asObject,
  DecodeError,
  id,
  objects,
  optionalBoolean,
  optionalNumber,
  optionalText,
  sameId,
  text,
} from "../../core/decode.ts";
import { defined, type JsonObject } from "../../core/json.ts";
import { type Client, pathSegment } from "../../service/client.ts";
import { ifFound } from "../../service/errors.ts";
import type { Live } from "../live.ts";
import type { WriteContext } from "../traits/remote.ts";
import { hostsOf, keyOf } from "./declared.ts";

const family = "certificate_packs" as const;
/** At most 50 per page (docs/service.md#pages). */
const PAGE_SIZES: readonly [number] = [50];
/** A pack that is being deleted, or that no longer serves anything, counts as gone. */
const GONE = new Set(["deleted", "pending_deletion", "expired", "deactivating", "inactive"]);
/** The common name of a branded certificate; no YAML declares it. */
const BRANDING_NAME = "sni.cloudflaressl.com";

/**
 * The zone's advanced packs, newest last. The service's list also contains the packs of custom hostnames and others.
 */
export async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  // Without `status=all`, the service only lists active packs (docs/service.md#certificate-packs).
  const request = {
    path: pathOf(zone),
    query: { status: "all" },
    family,
    pageSizes: PAGE_SIZES,
    style: "page",
  } as const;
  const found: { live: Live; age: string }[] = [];
  for await (const pack of client.pages(request, signal)) {
    const live = decode(pack);
    if (live) found.push({ live, age: ageOf(pack) });
  }
  for (const { live } of found.sort((left, right) => (left.age < right.age ? -1 : Number(left.age > right.age))))
    yield live;
}

/** One pack by its id; undefined if it is gone or is not an advanced pack. */
export async function read(
  client: Client,
  zone: ZoneId,
  { id }: { id: string },
  signal?: AbortSignal,
): Promise<Live | undefined> {
  const found = await ifFound(() => client.send({ method: "GET", path: pathOf(zone, id), family }, signal));
  if (found === undefined) return undefined;
  const pack = asObject(found, "result");
  sameId(pack, id);
  // The response must say that the pack is gone; a missing value is not enough.
  for (const field of ["type", "status"]) text(pack, field);
  return decode(pack);
}

/** The newest pack for these hosts, except those known to be others. */
export async function find(
  client: Client,
  zone: ZoneId,
  key: string,
  signal?: AbortSignal,
  others: ReadonlySet<string> = new Set(),
): Promise<Live | undefined> {
  let found: Live | undefined;
  for await (const live of list(client, zone, [key], signal)) {
    if (live.key === key && !others.has(live.id)) found = live;
  }
  return found;
}

/** Orders a pack. */
export async function create({ client, zone, signal }: WriteContext, _key: string, sent: JsonObject): Promise<Live> {
  const body = { type: "advanced", ...sent };
  const path = `${pathOf(zone)}/order`;
  const pack = asObject(await client.send({ method: "POST", path, body, family }, signal), "result");
  const live = decode(pack);
  if (!live) throw new DecodeError("status", "that of an advanced pack that was just ordered", pack["status"]);
  return live;
}

/** Deletes a pack; one that is already gone is no error. */
export async function remove({ client, zone, signal }: WriteContext, live: Live): Promise<void> {
  const path = pathOf(zone, live.id);
  const gone = await ifFound(() => client.send({ method: "DELETE", path, family }, signal));
  if (gone !== undefined) sameId(asObject(gone, "result"), live.id);
}

/** Decodes an advanced pack that exists; undefined for all others. */
function decode(pack: JsonObject): Live | undefined {
  const status = optionalText(pack, "status") ?? "unknown";
  if (optionalText(pack, "type") !== "advanced" || GONE.has(status)) return undefined;
  const hosts = hostsOf(pack).filter((host) => host !== BRANDING_NAME);
  const method = optionalText(pack, "validation_method");
  const days = optionalNumber(pack, "validity_days");
  const authority = optionalText(pack, "certificate_authority");
  const errors = objects(pack, "validation_errors").flatMap((error) => optionalText(error, "message") ?? []);
  return {
    id: id(pack),
    key: keyOf({ hosts }),
    values: {
      hosts,
      ...defined({ validation_method: method, validity_days: days, certificate_authority: authority }),
      cloudflare_branding: optionalBoolean(pack, "cloudflare_branding") ?? false,
    },
    status: {
      status,
      ...(errors.length > 0 ? { validation_errors: errors } : {}),
      validation_records: objects(pack, "validation_records"),
    },
  };
}

/** Packs have no date: the newest certificate's counts, and a pack without any was ordered last. */
function ageOf(pack: JsonObject): string {
  const dates = objects(pack, "certificates").flatMap((certificate) => optionalText(certificate, "uploaded_on") ?? []);
  return dates.sort().at(-1) ?? "~";
}

function pathOf(zone: ZoneId, id?: string): string {
  return `/zones/${zone}/ssl/certificate_packs${id === undefined ? "" : `/${pathSegment(id)}`}`;
}
