import { defined } from "../../core/defined.ts";
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
import type { JsonObject } from "../../core/json.ts";
import type { Client } from "../../service/client.ts";
import { ifFound } from "../../service/not-found.ts";
import { pathSegment } from "../../service/path-segment.ts";
import type { Live } from "../live.ts";
import type { WriteContext } from "../traits/remote.ts";
import { hostsOf, keyOf } from "./spec.ts";

const family = "certificate_packs" as const;
/** At most 50 a page (docs/service.md#pages). */
const PAGE_SIZES: readonly [number] = [50];
/** A pack that is on its way out, or serves nothing any more, counts as gone. */
const GONE = new Set(["deleted", "pending_deletion", "expired", "deactivating", "inactive"]);
/** The name that stands first in a branded certificate; nobody declares it. */
const BRANDING_NAME = "sni.cloudflaressl.com";

/** The advanced packs of the zone, the newest last. The list has the packs of custom hostnames and others as well. */
export async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  // Without `status=all` the service lists active ones only (docs/service.md#certificate-packs).
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

/** One pack by its id; undefined where it is gone, or none that can be ordered. */
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
  // That it is gone has to be said by the answer, and not by what is missing in it.
  for (const field of ["type", "status"]) text(pack, field);
  return decode(pack);
}

/** The newest pack for those hosts, apart from those of which it is known that they are others. */
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
export async function create({ client, zone, signal }: WriteContext, _key: string, spec: JsonObject): Promise<Live> {
  const body = { type: "advanced", ...spec };
  const path = `${pathOf(zone)}/order`;
  const pack = asObject(await client.send({ method: "POST", path, body, family }, signal), "result");
  const live = decode(pack);
  if (!live) throw new DecodeError("status", "that of an advanced pack that was just ordered", pack["status"]);
  return live;
}

/** Deletes a pack; one that is gone already is no error. */
export async function remove({ client, zone, signal }: WriteContext, live: Live): Promise<void> {
  const path = pathOf(zone, live.id);
  const gone = await ifFound(() => client.send({ method: "DELETE", path, family }, signal));
  if (gone !== undefined) sameId(asObject(gone, "result"), live.id);
}

/** An advanced pack that is there; undefined for every other one. */
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

/** Packs have no date of their own: the newest certificate says it, and one without any was ordered last. */
function ageOf(pack: JsonObject): string {
  const dates = objects(pack, "certificates").flatMap((certificate) => optionalText(certificate, "uploaded_on") ?? []);
  return dates.sort().at(-1) ?? "~";
}

function pathOf(zone: ZoneId, id?: string): string {
  return `/zones/${zone}/ssl/certificate_packs${id === undefined ? "" : `/${pathSegment(id)}`}`;
}
