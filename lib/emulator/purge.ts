import { type Call, jsonBody, type Route, zoneRoute } from "./call.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import type { BucketSize } from "./limits.ts";
import type { Plan, Purge, Zone } from "./store.ts";

/** How many purges a zone remembers for the admin API. */
const REMEMBERED = 1000;

/** The calls that purge the cache (docs/service.md#cache-purge). */
export function purgeRoutes(): Route[] {
  return [
    zoneRoute("POST", "/purge_cache", purge),
    zoneRoute("POST", "/invalidate_cache", purge),
    zoneRoute("POST", "/environments/:environment/purge_cache", purge),
    zoneRoute("POST", "/environments/:environment/invalidate_cache", purge),
  ];
}

/** Accepts a purge, and records it. A refused purge takes nothing from the bucket. */
function purge(call: Call, zone: Zone): Reply {
  const { by, items } = readPurge(jsonBody(call), zone.plan);
  const isFiles = by === "files";
  const bucket = (isFiles ? FILE_BUCKETS : PURGE_BUCKETS)[zone.plan];
  const key = `${zone.accountId} ${zone.plan} ${isFiles ? "files" : "rest"}`;
  const wait = call.isDashboard ? 0 : call.core.purgeLimiter.take(key, bucket, isFiles ? items.length : 1, call.now);
  if (wait > 0) throw throttled(Math.ceil(wait / 1000));
  zone.purges.push({ at: call.now, by, items });
  if (zone.purges.length > REMEMBERED) zone.purges.shift();
  return success({ id: zone.id });
}

/** The code is not published; 971 is the code of other throttles (inferred). */
function throttled(seconds: number): ServiceError {
  const message = `Purge rate limit reached. Please wait ${seconds} seconds and consider throttling your request speed`;
  return new ServiceError(429, { code: 971, message }, { "retry-after": String(seconds) });
}

/** What a purge asks for. */
type PurgeInput = Pick<Purge, "by" | "items">;

const LISTS = ["files", "tags", "hosts", "prefixes"] as const;

/** The bucket of an account for requests by hosts, tags, prefixes and everything (docs/service.md#cache-purge). */
const PURGE_BUCKETS: Readonly<Record<Plan, BucketSize>> = {
  free: { perSecond: 5 / 60, size: 25 },
  pro: { perSecond: 5, size: 25 },
  business: { perSecond: 10, size: 50 },
  enterprise: { perSecond: 50, size: 500 },
};

/** The bucket of an account for URLs in `files`. */
const FILE_BUCKETS: Readonly<Record<Plan, BucketSize>> = {
  free: { perSecond: 800, size: 800 },
  pro: { perSecond: 1500, size: 1500 },
  business: { perSecond: 1500, size: 1500 },
  enterprise: { perSecond: 3000, size: 3000 },
};

/** How many items one request may have (docs/service.md#cache-purge). */
const MOST_ITEMS = 100;
const MOST_FILES_ENTERPRISE = 500;

/**
 * Reads a purge. Throws 1012 unless it asks for exactly one thing, and 1014 for a list that is empty, too long or not a list of
 * strings.
 */
function readPurge(body: JsonObject, plan: Plan): PurgeInput {
  const asked = LISTS.filter((name) => body[name] !== undefined);
  const isEverything = body["purge_everything"] === true;
  const [by] = asked;
  if (asked.length + Number(isEverything) !== 1)
    throw purgeError(1012, "Request must contain exactly one of purge_everything, files, tags, hosts or prefixes");
  if (by === undefined) return { by: "purge_everything", items: [] };
  const items = readItems(by, body[by]);
  const most = by === "files" && plan === "enterprise" ? MOST_FILES_ENTERPRISE : MOST_ITEMS;
  // The code is not published, only that the message names the maximum (docs/service.md#cache-purge).
  if (items.length > most) throw purgeError(1014, `You may only purge ${most} ${by} in one request`);
  return { by, items };
}

function readItems(by: (typeof LISTS)[number], value: Json | undefined): string[] {
  if (!Array.isArray(value) || value.length === 0)
    throw purgeError(1014, `${by} must be an array with something in it`);
  return value.map((item) => {
    const text = by === "files" && isObject(item) ? item["url"] : item;
    if (typeof text !== "string" || text === "") throw purgeError(1014, `${by} must be an array of strings`);
    return text;
  });
}

function purgeError(code: number, message: string): ServiceError {
  return new ServiceError(400, { code, message });
}
