/** What only settings of a zone are told. */
export const CODES = {
  "setting-not-editable": {
    cause: "the service does not allow changes of this setting in this zone",
    remedy: "remove it from zone_settings, or change the zone's subscription",
  },
} as const;
