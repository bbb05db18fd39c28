import { wordingFrom } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { asObject, optionalText, text, texts } from "../../core/decode.ts";
import { diff, type FieldRules } from "../../core/diff.ts";
import { type Json, type JsonObject, leavesAsLive, overlaid } from "../../core/json.ts";
import { formatValue } from "../../core/value-words.ts";
import { counted } from "../../core/words.ts";
import type { Client } from "../../service/client.ts";
import { ifFound } from "../../service/errors.ts";
import type { Comparison, ComparisonInput } from "../traits/compared.ts";
import { both, type ObjectHazard } from "../hazards.ts";
import type { KindOf } from "../kind-of.ts";
import type { Live } from "../live.ts";
import type { Step } from "../traits/judged.ts";
import type { Readiness, UpdateInput, WriteContext } from "../traits/remote.ts";
import { settingResource } from "../hcl.ts";
import type { ValueProblem } from "../traits/declared.ts";

/** Codes that only the fallback origin raises. */
const CODES = {
  "origin-invalid": {
    cause: "the fallback origin is not a hostname, for example because it is written as a URL",
    message: "{origin} is not a hostname",
    remedy: "write only the name of a DNS record of the zone",
  },
  "origin-outside-zone": {
    cause: "the fallback origin is not a name of its zone; Cloudflare only takes a DNS record of the zone",
    message: "{origin} is not a name of the zone {zone}",
    remedy: "use a proxied DNS record of the zone, for example fallback.{zone}",
  },
} as const;

const problem = wordingFrom(CODES);

const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: [] };
const family = "fallback_origin" as const;

/** The origin of every custom hostname that has none of its own (docs/service.md#fallback-origin). */
export const fallbackOrigin: KindOf<"fallback_origin", "custom_hostname", keyof typeof CODES> = {
  name: "fallback_origin",
  ownCodes: CODES,
  isSingle: true,
  stage: 1,
  adoption: "freely",
  lifetime: "until-destroyed",
  carries: { kind: "custom_hostname", isCarried: ({ values }) => values["custom_origin_server"] === undefined },
  section: { key: "fallback_origin", shape: "object", required: "origin", options: [] },
  writeOnly: [],
  normalise: (desired) => {
    const origin = desired["origin"];
    return typeof origin === "string" ? { ...desired, origin: origin.toLowerCase().replace(/\.$/, "") } : desired;
  },
  problems: (_key, desired, zone) => problems(desired, zone),
  list,
  read: (client, zone, _target, signal) => fetchLive(client, zone, signal),
  find: (client, zone, _key, signal) => fetchLive(client, zone, signal),
  compare,
  guarded: (live) => live.values,
  hazards,
  cost: () => ({ calls: 2, issuances: 0 }),
  create: (context, _key, sent) => put(context, sent),
  update: (context, { desired }: UpdateInput) => put(context, desired),
  remove,
  readiness,
  hcl: settingResource("cloudflare_custom_hostname_fallback_origin"),
  importForms: ["<zone_id>"],
  importId: (zone) => zone,
  applied: (desired, live) => leavesAsLive(desired, live.values),
  declared: (live) => live.values,
  whole: ({ desired, live }) => overlaid(live.values, desired),
};

/** If hostnames were not read, some may use it. Planning checks whether the planned origin serves traffic. */
function hazards({ action, from, to, live, carried, isFound }: Step): readonly ObjectHazard[] {
  const isCut = action === "delete" || action === "replace" || (action === "update" && isFound === true);
  if (!isCut || carried === 0) return [];
  const own = "hostnames without an origin of their own";
  const users = carried === undefined ? own : counted(carried, "hostname");
  if (!isFound) return [{ hazard: "outage", words: both(`: ${own} go offline`) }];
  if (to === undefined) return [{ hazard: "outage", words: both(`: ${users} offline`) }];
  const values = `${formatValue(to["origin"])} (was ${formatValue(from["origin"])})`;
  const words = both(`: ${users} ${carried === 1 ? "goes" : "go"} to ${values}`);
  return [{ hazard: "outage", paths: [["origin"]], words, details: texts(live?.status ?? {}, "errors") }];
}

function readiness({ status }: Live): Readiness {
  if (status["status"] === "active") return "ready";
  const errors = texts(status, "errors");
  const reason = [`the fallback origin is ${optionalText(status, "status") ?? "unknown"}`, ...errors].join(": ");
  return { reason, remedy: "add a proxied A, AAAA or CNAME record of that name to the zone", isFinal: false };
}

async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  const live = await fetchLive(client, zone, signal);
  if (live) yield live;
}

function compare({ desired, prior, live }: ComparisonInput): Comparison {
  return { ...diff(desired, prior, live.values, RULES), rules: [], replaces: [], notes: [] };
}

async function fetchLive(client: Client, zone: ZoneId, signal?: AbortSignal): Promise<Live | undefined> {
  const live = await ifFound(async () =>
    decode(zone, await client.send({ method: "GET", path: pathOf(zone), family }, signal)),
  );
  // The service takes a while to delete it and still shows it meanwhile, which counts as gone
  // (docs/service.md#fallback-origin).
  return live && isGoing(live) ? undefined : live;
}

function isGoing({ status }: Live): boolean {
  return status["status"] === "pending_deletion";
}

async function put({ client, zone, signal }: WriteContext, desired: JsonObject): Promise<Live> {
  const body = { origin: desired["origin"] ?? null };
  const live = decode(zone, await client.send({ method: "PUT", path: pathOf(zone), body, family }, signal));
  // A response that still shows the deletion does not show the write, even if it names the same origin.
  return isGoing(live) ? { ...live, values: {} } : live;
}

async function remove({ client, zone, signal }: WriteContext): Promise<void> {
  // The official client reads all of it in an envelope, an older one only an id (docs/service.md#envelope).
  await ifFound(() => client.send({ method: "DELETE", path: pathOf(zone), family, answer: "gone" }, signal));
}

function decode(zone: ZoneId, answer: Json): Live {
  const from = asObject(answer, "result");
  const status = optionalText(from, "status") ?? "unknown";
  const errors = texts(from, "errors");
  return {
    id: zone,
    key: "",
    values: { origin: text(from, "origin") },
    status: { status, ...(errors.length > 0 ? { errors } : {}) },
  };
}

function pathOf(zone: ZoneId): string {
  return `/zones/${zone}/custom_hostnames/fallback_origin`;
}

/** Problems that the service would refuse in the fallback origin (docs/service.md#fallback-origin). */
function problems(desired: JsonObject, zone: string | undefined): readonly ValueProblem[] {
  const written = desired["origin"];
  if (typeof written !== "string") return [];
  const origin = written.toLowerCase().replace(/\.$/, "");
  const path = ["origin"];
  if (!isHostname(origin)) {
    const [, name] = /^[a-z]+:\/\/([^/:]+)/i.exec(written) ?? [];
    const remedy = name === undefined ? "" : `${CODES["origin-invalid"].remedy}: ${name}`;
    return [{ path, ...problem("origin-invalid", { origin: JSON.stringify(written) }, { remedy }) }];
  }
  if (zone === undefined || origin === zone || origin.endsWith(`.${zone}`)) return [];
  return [{ path, ...problem("origin-outside-zone", { origin, zone }) }];
}

function isHostname(name: string): boolean {
  const labels = name.split(".");
  return labels.length > 1 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}
