/** Codes that only certificate packs raise. */
export const CODES = {
  "host-invalid": {
    cause: "a host of a certificate pack is not a hostname",
    remedy: "use letters, digits and hyphens with dots between; write other letters in punycode: xn--…",
  },
  "pack-needs-branding": {
    cause: "every host is longer than the 64 characters that a certificate's common name holds",
    remedy: "set cloudflare_branding: true, or add a shorter host",
  },
  "validity-not-issued": {
    cause: "the certificate authority issues no certificates for that many days",
    remedy: "set validity_days to one of those that the message names",
  },
} as const;
