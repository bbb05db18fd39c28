import { objects, optionalText, texts } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live } from "../live.ts";
import type { Readiness } from "../traits/remote.ts";

/** A pack is ready once it is active: only then is its certificate served. */
export function readiness(live: Live): Readiness {
  const status = optionalText(live.status, "status") ?? "unknown";
  if (status === "active") return "ready";
  const reason = [`the certificate pack is ${status}`, ...texts(live.status, "validation_errors")].join(": ");
  if (status.endsWith("_timed_out")) {
    // The remedy is not to remove the entry and order again: that would delete the pack that serves until this one
    // does.
    const remedy = `set its validation records and check the CAA records, then restart the validation without changing its entry: PATCH /zones/ZONE_ID/ssl/certificate_packs/${live.id}`;
    return { reason, remedy, isFinal: true };
  }
  return { reason, remedy: remedyFor(objects(live.status, "validation_records")), isFinal: false };
}

/** The zone's own name servers set the records; if DNS is elsewhere, somebody has to. */
function remedyFor(records: readonly JsonObject[]): string {
  const named = records.flatMap((record) => {
    const txt = optionalText(record, "txt_name");
    if (txt !== undefined) return [`TXT ${txt} = ${optionalText(record, "txt_value") ?? ""}`];
    const url = optionalText(record, "http_url");
    return url === undefined ? [] : [`${url} = ${optionalText(record, "http_body") ?? ""}`];
  });
  if (named.length === 0) return "wait: Cloudflare continues by itself";
  return `wait; if the zone's DNS is elsewhere, set ${named.join(", ")}`;
}
