/** Codes that only the fallback origin raises. */
export const CODES = {
  "origin-invalid": {
    cause: "the fallback origin is not a hostname, for example because it is written as a URL",
    remedy: "write only the name of a DNS record of the zone",
  },
  "origin-outside-zone": {
    cause: "the fallback origin is not a name of its zone; Cloudflare only takes a DNS record of the zone",
    remedy: "use a proxied DNS record of the zone",
  },
} as const;
