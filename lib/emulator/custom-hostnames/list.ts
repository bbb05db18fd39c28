import type { Call } from "../call.ts";
import { pageOf, type Reply } from "../envelope.ts";
import { cutList } from "../lists.ts";
import { readPage } from "../pages.ts";
import type { Zone } from "../store.ts";
import { filterOf, type Filter } from "./filter.ts";
import type { CustomHostname } from "./record.ts";
import { hostnameView } from "./view.ts";

/**
 * The list of a zone's custom hostnames: filtered, one page of it, in order of creation (docs/service.md#pages,
 * docs/service.md#custom-hostname-calls).
 */
export function listHostnames(call: Call, zone: Zone): Reply {
  const { behaviour } = call.core;
  const { page, perPage } = readPage(call.query, { least: 5, most: behaviour.hostnamePageSize, usual: 20 });
  const filter = filterOf(call.query, behaviour);
  const listed = {
    items: ordered(call, matching(zone, filter)),
    idOf: (record: CustomHostname) => record.id,
    view: (record: CustomHostname) => hostnameView(record, behaviour),
    history: zone.hostnames,
  };
  return pageOf({ ...cutList(call, listed, (page - 1) * perPage, perPage), page, perPage });
}

/** Without a filter this is the collection's own array: a page costs its own length. */
function matching(zone: Zone, filter: Filter | undefined): readonly CustomHostname[] {
  if (filter === undefined) return zone.hostnames.all();
  if (filter.exactly === undefined) return zone.hostnames.all().filter((record) => filter.accepts(record));
  const named = zone.hostnames.named(filter.exactly);
  return named !== undefined && filter.accepts(named) ? [named] : [];
}

/** Only an explicit order by certificate status sorts. */
function ordered(call: Call, found: readonly CustomHostname[]): readonly CustomHostname[] {
  const isDescending = call.query.get("direction") === "desc";
  if (call.query.get("order") !== "ssl_status") return isDescending ? found.toReversed() : found;
  const status = (record: CustomHostname): string => record.ssl?.status ?? "";
  const sorted = found.toSorted((a, b) => (status(a) < status(b) ? -1 : Number(status(a) > status(b))));
  return isDescending ? sorted.reverse() : sorted;
}
