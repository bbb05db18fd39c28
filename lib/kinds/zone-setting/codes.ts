/** Codes that only zone settings raise. */
export const CODES = {
  "setting-not-editable": {
    cause: "Cloudflare says that nobody can change the setting in this zone",
    remedy: "leave it out of zone_settings, or change the zone's subscription",
  },
} as const;
