import type { ZoneId } from "../../core/brand.ts";
import { asObject, optionalBoolean, optionalNumber, optionalText } from "../../core/decode.ts";
import { diff, type FieldRules } from "../../core/diff.ts";
import { type Json, type JsonObject, leavesAsLive, overlaid } from "../../core/json.ts";
import type { Client } from "../../service/client.ts";
import { ApiError } from "../../service/errors.ts";
import type { Comparison, ComparisonInput, Kind, Live, UpdateInput, WriteContext } from "../kind.ts";
import { settingResource } from "../hcl.ts";

const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: [] };
const family = "total_tls" as const;
/** The service refuses to be told what is already so (1467, no state change: docs/service.md#total-tls). */
const NO_STATE_CHANGE = 1467;

/** Certificates for every proxied name of the zone, and the CA that issues them. A setting: it always exists. */
export const totalTls: Kind = {
  name: "total_tls",
  isSingle: true,
  stage: 5,
  adoptsOnlyWhenTold: false,
  refusesDuplicates: false,
  isSetting: true,
  isDeletedWhenRemoved: false,
  section: { key: "total_tls", shape: "object", required: "enabled", options: [] },
  writeOnly: [],
  normalise: (spec) => spec,
  problems: () => [],
  list,
  read: (client, zone, _target, signal) => fetchLive(client, zone, signal),
  find: (client, zone, _key, signal) => fetchLive(client, zone, signal),
  compare,
  guarded: (live) => live.values,
  hazards: ({ action, comparison }) =>
    action === "update" && comparison?.leaves.some(({ path }) => path[0] === "certificate_authority")
      ? ["reissue"]
      : [],
  // Names of the zone lose the certificate that they are served with.
  weakens: (from, to) => from["enabled"] === true && to["enabled"] !== true,
  cost: () => ({ calls: 2, issuances: 0 }),
  create: (context, _key, spec) => post(context, spec),
  update: (context, { spec, live }: UpdateInput) => post(context, { ...live.values, ...spec }),
  remove: () => Promise.resolve(),
  hcl: settingResource("cloudflare_total_tls"),
  importId: (zone) => zone,
  applied: (spec, live) => leavesAsLive(spec, live.values),
  declared: (live) => live.values,
  whole: ({ desired, live }) => overlaid(live.values, desired),
};

async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  yield await fetchLive(client, zone, signal);
}

function compare({ desired, prior, live }: ComparisonInput): Comparison {
  return { ...diff(desired, prior, live.values, RULES), rules: [], replaces: [], notes: [] };
}

async function fetchLive(client: Client, zone: ZoneId, signal?: AbortSignal): Promise<Live> {
  return decode(zone, await client.send({ method: "GET", path: pathOf(zone), family }, signal));
}

async function post({ client, zone, signal }: WriteContext, values: JsonObject): Promise<Live> {
  try {
    return decode(zone, await client.send({ method: "POST", path: pathOf(zone), body: values, family }, signal));
  } catch (error) {
    if (error instanceof ApiError && error.has(NO_STATE_CHANGE)) return fetchLive(client, zone, signal);
    throw error;
  }
}

function decode(zone: ZoneId, answer: Json): Live {
  const record = asObject(answer, "result");
  const authority = optionalText(record, "certificate_authority");
  const days = optionalNumber(record, "validity_period") ?? optionalNumber(record, "validity_days");
  return {
    id: zone,
    key: "",
    values: {
      enabled: optionalBoolean(record, "enabled") ?? false,
      ...(authority === undefined || authority === "" ? {} : { certificate_authority: authority }),
    },
    status: days === undefined ? {} : { validity_days: days },
  };
}

function pathOf(zone: ZoneId): string {
  return `/zones/${zone}/acm/total_tls`;
}
