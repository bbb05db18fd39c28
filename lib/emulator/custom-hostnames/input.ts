import type { Behaviour } from "../behaviour.ts";
import { checkedName } from "../names.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import { serves, type Zone } from "../store.ts";
import { hostnameError } from "./errors.ts";

/** The custom hostname in lower case. Throws 1407 to 1411, in the order of their numbers (docs/service.md#names). */
export function checkedHostname(value: unknown): string {
  return checkedName(
    value,
    { invalid: 1407, nonAscii: 1408, reserved: 1409, unparsable: 1410, example: 1411 },
    hostnameError,
  );
}

/** The custom origin server in lower case. Throws 1415 to 1420. */
export function checkedOrigin(value: unknown): string {
  if (typeof value === "string" && value.startsWith("*")) throw hostnameError(1420);
  return checkedName(
    value,
    { invalid: 1415, nonAscii: 1416, reserved: 1417, unparsable: 1418, example: 1419 },
    hostnameError,
  );
}

/** The largest custom metadata: 4 KB (docs/service.md#custom-hostname-record). */
const METADATA_BYTES = 4096;

/** Reads `custom_origin_server`; null and "" mean none. Throws 1414 to 1421. */
export function readOrigin(value: Json, zone: Zone): string | null {
  if (value === null || value === "") return null;
  if (!zone.grants.customOrigin) throw hostnameError(1414);
  const origin = checkedOrigin(value);
  for (const record of zone.records.values()) if (serves(record, origin)) return origin;
  throw hostnameError(1421, zone.id);
}

/** Reads `custom_origin_sni`; null and "" mean none. It needs a custom origin server (docs/service.md#custom-hostname-record). */
export function readSni(value: Json, origin: string | null): string | null {
  if (value === null || value === "") return null;
  if (origin === null) throw hostnameError(1439, "A custom origin SNI needs a custom origin server");
  return value === ":request_host_header:" ? value : checkedOrigin(value);
}

/** Reads `custom_metadata`; null and {} mean none. Throws 1413 without the grant, 1401 for more than 4 KB. */
export function readMetadata(value: Json, zone: Zone, behaviour: Behaviour): JsonObject | null {
  if (value === null) return null;
  if (!isObject(value)) throw hostnameError(1401);
  if (Object.keys(value).length === 0) return null;
  const needsPlan = behaviour.enterpriseFeatures && zone.plan !== "enterprise";
  if (!zone.grants.customMetadata || needsPlan) throw hostnameError(1413);
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES) throw hostnameError(1401);
  return copy(value);
}
