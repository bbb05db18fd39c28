import { CERTIFICATE_STATUSES } from "../certificates/order.ts";
import { HOSTNAME_STATUSES } from "../custom-hostnames/record.ts";
import { members } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { Forced } from "./actions.ts";

/** Reads `{status, ssl_status, verification_errors, validation_errors}`; throws an InputError. */
export function readForced(body: JsonObject): Forced {
  const from = members(body, "");
  const status = from.oneOf("status", HOSTNAME_STATUSES);
  const sslStatus = from.oneOf("ssl_status", CERTIFICATE_STATUSES);
  const verificationErrors = from.texts("verification_errors");
  const validationErrors = from.texts("validation_errors");
  from.done();
  return {
    ...(status === undefined ? {} : { status }),
    ...(sslStatus === undefined ? {} : { sslStatus }),
    ...(verificationErrors === undefined ? {} : { verificationErrors }),
    ...(validationErrors === undefined ? {} : { validationErrors }),
  };
}
