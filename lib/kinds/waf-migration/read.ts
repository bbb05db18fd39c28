import type { ZoneId } from "../../core/brand.ts";
import {
  asObject,
  id,
  objects,
  optionalId,
  optionalBoolean,
  optionalObject,
  optionalText,
  texts,
} from "../../core/decode.ts";
import { isList, isObject, type Json, type JsonObject } from "../../core/json.ts";
import { type Client, pathSegment } from "../../service/client.ts";
import { ApiError, isNotFound } from "../../service/errors.ts";
import type { Live } from "../live.ts";
import { targetOf } from "./states.ts";

const family = "waf" as const;
/** The lists of the previous WAF have up to 100 per page (docs/service.md#pages). */
const PAGE_SIZES = [100, 50] as const;
/**
 * The previous WAF APIs stop working after the migration; some are switched off for all zones
 * (docs/service.md#previous-waf).
 */
const GONE = 410;

/** The state of the migration; every zone has exactly one. */
export async function* list(
  client: Client,
  zone: ZoneId,
  _keys: readonly string[],
  signal?: AbortSignal,
): AsyncIterable<Live> {
  yield await fetchLive(client, zone, signal);
}

/** The zone's step and, while it can still move, everything that decides whether and how it may. */
export async function fetchLive(client: Client, zone: ZoneId, signal?: AbortSignal): Promise<Live> {
  const status = await get(client, zone, "/waf_migration/status", {}, signal);
  const target = targetOf(optionalText(status, "migration_state") ?? "");
  const switches = {
    state: optionalText(status, "migration_state") ?? "unknown",
    previous: optionalText(status, "old_waf_status") ?? "unknown",
    new: optionalText(status, "new_waf_status") ?? "unknown",
  };
  if (target === "new") return { id: zone, key: "", values: { target }, status: { ...switches, uri_overrides: [] } };
  const facts = await eligibility(client, zone, signal);
  return { id: zone, key: "", values: { target }, status: { ...switches, ...facts } };
}

async function eligibility(client: Client, zone: ZoneId, signal: AbortSignal | undefined): Promise<JsonObject> {
  const check = await get(client, zone, "/waf_migration/check", { phase_two: 1 }, signal);
  const overrides = await readList(client, `/zones/${zone}/firewall/waf/overrides`, signal);
  const bypassing = await readList(client, `/zones/${zone}/firewall/rules`, signal);
  const pageRules = await readList(client, `/zones/${zone}/pagerules`, signal);
  const isCompatible = optionalBoolean(check, "compatible") ?? false;
  return {
    is_compatible: isCompatible,
    reasons: reasonsOf(check),
    uri_overrides: overrides.map((override) => ({
      id: id(override),
      urls: [...texts(override, "urls")],
    })),
    bypass_rules: bypassing.filter(isBypassing).map(bypassRule),
    page_rules_off: pageRules.filter(turnsWafOff).map((rule) => pageRuleUrl(rule)),
    derived_rules: await derivedRules(client, zone, signal),
    ...(await readOverrides(client, zone, signal)),
  };
}

/** The service's reasons besides `compatible`. They are not documented, so we only use texts. */
function reasonsOf(check: JsonObject): readonly JsonObject[] {
  return objects(check, "reasons").map((reason) => ({
    reason: optionalText(reason, "reason") ?? "",
    message: optionalText(reason, "message") ?? "",
  }));
}

async function derivedRules(
  client: Client,
  zone: ZoneId,
  signal: AbortSignal | undefined,
): Promise<readonly JsonObject[]> {
  const config = await ifItCan(() => get(client, zone, "/waf_migration/config", { phase_two: 1 }, signal));
  // An empty id, version or ref counts as absent (docs/service.md#waf-migration).
  return objects(config ?? {}, "rules").map((rule) =>
    Object.fromEntries(
      Object.entries(rule).filter(([name, value]) => !["id", "version", "ref"].includes(name) || value !== ""),
    ),
  );
}

/** If only support can migrate a zone, the service derives nothing and answers 400. */
async function ifItCan<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

/**
 * Groups and rules of the previous managed rules that were set by hand; they are not migrated
 * (docs/service.md#what-migrates).
 */
async function readOverrides(client: Client, zone: ZoneId, signal: AbortSignal | undefined): Promise<JsonObject> {
  const groups: Json[] = [];
  const rules: Json[] = [];
  const packages = `/zones/${zone}/firewall/waf/packages`;
  for (const pack of await readList(client, packages, signal)) {
    const base = `${packages}/${pathSegment(id(pack))}`;
    const changed = await readList(client, `${base}/groups`, signal);
    groups.push(...changed.filter((group) => group["mode"] === "off").map((group) => named(group, "name")));
    const set = await readList(client, `${base}/rules`, signal);
    rules.push(...set.filter(isSetByHand).map((rule) => named(rule, "description")));
  }
  return { lost_groups: groups, lost_rules: rules };
}

function isSetByHand(rule: JsonObject): boolean {
  const mode = optionalText(rule, "mode");
  return mode === "off" || (rule["default_mode"] !== undefined && mode !== "default");
}

function named(from: JsonObject, field: string): JsonObject {
  return { id: optionalId(from) ?? "", name: optionalText(from, field) ?? "" };
}

/** A firewall rule that exempts requests from the managed rules. */
function isBypassing(rule: JsonObject): boolean {
  return rule["action"] === "bypass" && texts(rule, "products").includes("waf") && rule["paused"] !== true;
}

function bypassRule(rule: JsonObject): JsonObject {
  const filter = optionalObject(rule, "filter") ?? {};
  return { id: optionalId(rule) ?? "", expression: optionalText(filter, "expression") ?? "" };
}

function turnsWafOff(rule: JsonObject): boolean {
  return (
    rule["status"] !== "disabled" && objects(rule, "actions").some(({ id, value }) => id === "waf" && value === "off")
  );
}

function pageRuleUrl(rule: JsonObject): string {
  const [target] = objects(rule, "targets");
  return optionalText(optionalObject(target ?? {}, "constraint") ?? {}, "value") ?? optionalId(rule) ?? "";
}

async function get(
  client: Client,
  zone: ZoneId,
  path: string,
  query: Readonly<Record<string, number>>,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  return asObject(await client.send({ method: "GET", path: `/zones/${zone}${path}`, query, family }, signal), "result");
}

/** A list of the previous WAF, in pages if it has several; empty if the service has switched it off. */
async function readList(client: Client, path: string, signal: AbortSignal | undefined): Promise<readonly JsonObject[]> {
  try {
    if (path.endsWith("/pagerules")) {
      const answer = await client.send({ method: "GET", path, family, answer: "list" }, signal);
      return isList(answer) ? answer.filter(isObject) : [];
    }
    const found: JsonObject[] = [];
    for await (const item of client.pages({ path, family, pageSizes: PAGE_SIZES, style: "page" }, signal))
      found.push(item);
    return found;
  } catch (error) {
    if (isNotFound(error) || (error instanceof ApiError && error.status === GONE)) return [];
    throw error;
  }
}
