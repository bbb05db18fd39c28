import { isIP } from "node:net";
import { param, type Call, type Route } from "../call.ts";
import { noticeView, sendNotice } from "../certificates/notices.ts";
import { servedBy, servedView } from "../certificates/served.ts";
import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { edgeRequest, type EdgeAnswer } from "../edge.ts";
import { generalError, type Reply, success } from "../messages.ts";
import { InputError } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";

/** What a visitor, a mailbox and a TLS client see of the service. The service's API has none of it. */
export function outsideRoutes(): Route[] {
  return [
    { method: "GET", path: "/edge", handler: visit },
    { method: "GET", path: "/notices", handler: ({ core }) => success(noticesOf(core)) },
    { method: "POST", path: "/zones/:zone/notices", handler: notify },
    { method: "GET", path: "/zones/:zone/chains", handler: chains },
    { method: "GET", path: "/zones/:zone/purges", handler: (call) => success(purgesOf(zoneOf(call))) },
  ];
}

/** Every certificate of the zone, with its chain at a time (ms since the epoch; now when absent). */
export function chainsOf(core: Core, zone: Zone, at: number = core.clock.now()): JsonObject[] {
  return servedBy(zone).map((served) => servedView(served, at));
}

/** The e-mails that the service sent, oldest first. */
export function noticesOf(core: Core): JsonObject[] {
  return [...core.store.notices.values()].map((notice) => noticeView(core, notice));
}

/** The purges that the zone accepted, oldest first. */
export function purgesOf(zone: Zone): JsonObject[] {
  return zone.purges.map(({ at, by, items }) => ({ at: timestamp(at), by, items: [...items] }));
}

/** Takes `?host=`, `?path=`, `?method=`, `?ip=`, and any number of `?header=name: value`. */
function visit(call: Call): Reply {
  const host = call.query.get("host");
  if (host === null || host === "") throw new InputError({ at: "host", problem: "is missing from the query" });
  const [method, address] = [call.query.get("method"), call.query.get("ip")];
  if (address !== null && isIP(address) === 0) throw new InputError({ at: "ip", problem: "is not an IP address" });
  const headers = call.query.getAll("header").map((header): [string, string] => {
    const [name = "", ...value] = header.split(":");
    return [name.trim(), value.join(":").trim()];
  });
  const visitor = { headers, ...(method === null ? {} : { method }), ...(address === null ? {} : { address }) };
  return success(edgeView(edgeRequest(call.core, host, call.query.get("path") ?? "/", visitor)));
}

/** Sends the zone's owner a notice now, also on a day on which the service would send none. */
function notify(call: Call): Reply {
  const notice = sendNotice(call.core, zoneOf(call), call.now);
  return success(notice === undefined ? null : noticeView(call.core, notice));
}

/** `?at=` takes an ISO 8601 time; now when absent. */
function chains(call: Call): Reply {
  const text = call.query.get("at");
  const at = text === null ? call.now : Date.parse(text);
  if (Number.isNaN(at)) throw new InputError({ at: "at", problem: "is not an ISO 8601 time" });
  return success(chainsOf(call.core, zoneOf(call), at));
}

function edgeView(answer: EdgeAnswer): JsonObject {
  const { certificate } = answer;
  return {
    status: answer.status,
    code: answer.code,
    cause: answer.cause,
    reasons: [...answer.reasons],
    zone_id: answer.zoneId,
    custom_hostname_id: answer.hostnameId,
    origin: answer.origin,
    rule: ruleView(answer),
    certificate:
      certificate === null
        ? null
        : {
            id: certificate.id,
            common_name: certificate.commonName,
            hosts: [...certificate.hosts],
            certificate_authority: certificate.authority,
            chain: certificate.chain,
          },
    body: answer.body,
  };
}

/** The rule that stopped the request. */
function ruleView({ rule: stopped }: EdgeAnswer): JsonObject | null {
  if (stopped === null) return null;
  const { id = null, ref = null, action = null } = stopped.rule;
  return { id, ref, action, ruleset_id: stopped.rulesetId };
}

function zoneOf(call: Call): Zone {
  const zone = call.core.store.zones.get(param(call, "zone"));
  if (zone === undefined) throw generalError(7003);
  return zone;
}
