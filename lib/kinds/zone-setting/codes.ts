/** Codes that only zone settings raise. */
export const CODES = {
  "setting-not-editable": {
    cause: "Cloudflare does not allow changing the setting in this zone",
    remedy: "leave it out of zone_settings, or change the zone's subscription",
  },
} as const;
