import { boolean, optionalNumber, optionalText } from "../../core/decode.ts";
import { defineSetting } from "../define-setting.ts";
import { both } from "../hazards.ts";
import type { KindOf } from "../kind-of.ts";

/** Certificates for every proxied name of the zone, and the CA that issues them. */
export const totalTls: KindOf<"total_tls"> = defineSetting({
  name: "total_tls",
  stage: 5,
  section: { key: "total_tls", required: "enabled" },
  path: () => "/acm/total_tls",
  family: "total_tls",
  ownCodes: {},
  // The service refuses a value that is already set (1467, no state change: docs/service.md#total-tls).
  unchangedCode: 1467,
  decode: (from) => {
    const authority = optionalText(from, "certificate_authority");
    const days = optionalNumber(from, "validity_period") ?? optionalNumber(from, "validity_days");
    return {
      values: {
        enabled: boolean(from, "enabled"),
        ...(authority === undefined || authority === "" ? {} : { certificate_authority: authority }),
      },
      status: days === undefined ? {} : { validity_days: days },
    };
  },
  write: (values) => ({ method: "POST", body: values }),
  hazards: ({ action, leaves, isFound }) => {
    if (action !== "update" || !leaves.some(({ path }) => path[0] === "certificate_authority")) return [];
    return [
      { hazard: "reissue", words: both(isFound ? ": new certificates were ordered" : " orders new certificates") },
    ];
  },
  // Names of the zone lose their certificate.
  weakens: (from, to) => from["enabled"] === true && to["enabled"] !== true,
  hcl: "cloudflare_total_tls",
});
