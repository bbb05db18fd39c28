import type { Behaviour } from "../behaviour.ts";
import type { Call } from "../call.ts";
import { type Choice, choose, listPage } from "../lists.ts";
import type { Reply } from "../messages.ts";
import type { Zone } from "../store.ts";
import { hostnameError } from "./errors.ts";
import type { CustomHostname } from "./custom-hostname.ts";
import { hostnameView, shownStatus } from "./view.ts";

/**
 * One page of the zone's custom hostnames that match the filters, oldest first (docs/service.md#pages,
 * docs/service.md#custom-hostname-calls).
 */
export function listHostnames(call: Call, zone: Zone): Reply {
  const { behaviour } = call.core;
  const filter = filterOf(call.query, behaviour);
  const listed = {
    items: choose(call.query, matching(zone, filter), CHOICE),
    idOf: (record: CustomHostname) => record.id,
    view: (record: CustomHostname) => hostnameView(record, behaviour),
    history: zone.hostnames,
  };
  return listPage(call, { least: 5, most: behaviour.hostnamePageSize, usual: 20 }, listed);
}

/** Without a filter this is the collection's own array, so that a page costs no more than its own length. */
function matching(zone: Zone, filter: Filter | undefined): readonly CustomHostname[] {
  if (filter === undefined) return zone.hostnames.all();
  if (filter.exactly === undefined) return zone.hostnames.all().filter((record) => filter.accepts(record));
  const named = zone.hostnames.named(filter.exactly);
  return named !== undefined && filter.accepts(named) ? [named] : [];
}

/** The list can be sorted by the status of the certificate only. */
const CHOICE: Choice<CustomHostname> = { orders: { ssl_status: ({ ssl }) => ssl?.status ?? "" } };

/** Which hostnames a list shows. */
interface Filter {
  /** The only name that can match; undefined if several can. */
  readonly exactly: string | undefined;
  accepts(record: CustomHostname): boolean;
}

type Test = (record: CustomHostname, value: string, behaviour: Behaviour) => boolean;

/**
 * The filters of the list (docs/service.md#custom-hostname-calls). `certificate_authority` is the CA that issued, not the chosen
 * one. `hostname` matches a part of the name.
 */
const TESTS: Readonly<Record<string, Test>> = {
  id: (record, value) => record.id === value,
  hostname: (record, value) => record.hostname.includes(value.toLowerCase()),
  "hostname.exact": (record, value) => record.hostname === value.toLowerCase(),
  "hostname.contain": (record, value) => record.hostname.includes(value.toLowerCase()),
  "hostname.startsWith": (record, value) => record.hostname.startsWith(value.toLowerCase()),
  hostname_status: (record, value, behaviour) => shownStatus(record, behaviour) === value,
  ssl_status: (record, value) => record.ssl?.status === value,
  certificate_authority: (record, value) => record.ssl?.issued?.authority === value,
  custom_origin_server: (record, value) => record.customOriginServer === value,
  wildcard: (record, value) => String(record.ssl?.wildcard ?? false) === value,
  ssl: (record, value) => (record.ssl === null ? "0" : "1") === value,
};

/** The longest search text (docs/service.md#custom-hostname-calls). */
const LONGEST_CONTAIN = 255;

/** The filter in a query, if it has one. Throws 1437 and 1438. */
function filterOf(query: URLSearchParams, behaviour: Behaviour): Filter | undefined {
  const asked = Object.entries(TESTS).flatMap(([name, test]) => {
    const value = query.get(name);
    return value === null ? [] : [{ name, value, test }];
  });
  if (asked.length === 0) return undefined;
  const byName = asked.filter(({ name }) => name === "hostname" || name.startsWith("hostname."));
  if (byName.length > 1 || (query.has("id") && byName.length > 0)) throw hostnameError(1438);
  const contain = query.get("hostname.contain");
  if (contain === "" || (contain ?? "").length > LONGEST_CONTAIN) throw hostnameError(1437);
  return {
    exactly: query.get("hostname.exact")?.toLowerCase(),
    accepts: (record) => asked.every(({ test, value }) => test(record, value, behaviour)),
  };
}
