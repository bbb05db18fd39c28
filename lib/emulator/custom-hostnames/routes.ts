import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { createHostname } from "./create.ts";
import { type BundlePlace, editHostname, removeFromBundle, replaceInBundle } from "./edit.ts";
import { hostnameError } from "./errors.ts";
import { listHostnames } from "./list.ts";
import type { CustomHostname } from "./custom-hostname.ts";
import { hostnameView } from "./view.ts";

const BASE = "/custom_hostnames";

const CERTIFICATE = `${BASE}/:id/certificate_pack/:pack/certificates/:certificate`;

/** /zones/{id}/custom_hostnames (docs/service.md#custom-hostname-calls). */
export function customHostnameRoutes(): Route[] {
  return [
    zoneRoute("GET", BASE, listHostnames),
    zoneRoute("POST", BASE, create),
    zoneRoute("GET", `${BASE}/quota`, (_call, zone) => quota(zone)),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => show(call, found(call, zone), 200)),
    zoneRoute("PATCH", `${BASE}/:id`, edit),
    zoneRoute("DELETE", `${BASE}/:id`, remove),
    zoneRoute("PUT", CERTIFICATE, replaceCertificate),
    zoneRoute("DELETE", CERTIFICATE, removeCertificate),
  ];
}

function create(call: Call, zone: Zone): Reply {
  const { record, warnings } = createHostname(call, zone, jsonBody(call));
  return show(call, record, call.core.behaviour.createStatus, warnings);
}

function edit(call: Call, zone: Zone): Reply {
  const record = found(call, zone);
  const before = hostnameView(record, call.core.behaviour);
  editHostname(call, zone, record, jsonBody(call));
  zone.hostnames.remember(record.id, before);
  return show(call, record, call.core.behaviour.editStatus);
}

/** The answer is the bare id, without an envelope (docs/service.md#envelope). */
function remove(call: Call, zone: Zone): Reply {
  const record = found(call, zone);
  zone.hostnames.remember(record.id, hostnameView(record, call.core.behaviour));
  zone.hostnames.remove(record.id);
  return { status: 200, body: { id: record.id } };
}

/** Replaces one certificate of an uploaded bundle (docs/service.md#custom-hostname-calls). */
function replaceCertificate(call: Call, zone: Zone): Reply {
  const place = bundlePlace(call, zone);
  const before = hostnameView(place.record, call.core.behaviour);
  replaceInBundle(call, zone, place, jsonBody(call));
  zone.hostnames.remember(place.record.id, before);
  return show(call, place.record, call.core.behaviour.editStatus);
}

/** The answer is the bare id, without an envelope (docs/service.md#envelope). */
function removeCertificate(call: Call, zone: Zone): Reply {
  const place = bundlePlace(call, zone);
  const before = hostnameView(place.record, call.core.behaviour);
  removeFromBundle(call, zone, place);
  zone.hostnames.remember(place.record.id, before);
  return { status: 200, body: { id: place.certificateId } };
}

function bundlePlace(call: Call, zone: Zone): BundlePlace {
  return { record: found(call, zone), packId: param(call, "pack"), certificateId: param(call, "certificate") };
}

function quota(zone: Zone): Reply {
  const used = zone.hostnames.size();
  const { allocated, hardCap } = zone.quota;
  return success({ allocated, used, exceeded: used > allocated, hard_cap: hardCap });
}

function show(call: Call, record: CustomHostname, status: number, messages: string[] = []): Reply {
  return success(hostnameView(record, call.core.behaviour), status, messages);
}

/** Throws 1435 for a malformed id, and 1436 for an id that no hostname has. */
function found(call: Call, zone: Zone): CustomHostname {
  const id = param(call, "id");
  if (!/^[0-9a-f-]{32,36}$/.test(id)) throw hostnameError(1435);
  const record = zone.hostnames.get(id);
  if (record === undefined) throw hostnameError(1436);
  return record;
}
