/** What only certificate packs are told. */
export const CODES = {
  "host-invalid": {
    cause: "a host of a certificate pack is no hostname",
    remedy: "write letters, digits and hyphens with dots between; other letters in punycode (xn--…)",
  },
  "pack-needs-branding": {
    cause: "every host is longer than the 64 characters that fit a certificate's common name",
    remedy: "set cloudflare_branding: true, or add a shorter host",
  },
  "validity-not-issued": {
    cause: "the certificate authority does not issue certificates for that many days",
    remedy: "set validity_days to one of those that the message names",
  },
} as const;
