/** What only custom hostnames are told. */
export const CODES = {
  "hostname-invalid": {
    cause: "a name is no hostname",
    remedy: "write letters, digits and hyphens with dots between, as in app.customer-one.net",
  },
  "hostname-not-ascii": { cause: "a hostname has letters outside of ASCII", remedy: "write it in punycode (xn--…)" },
  "hostname-too-long": { cause: "a hostname has more than 255 characters", remedy: "use a shorter name" },
  "hostname-is-address": {
    cause: "an IP address stands where a hostname is wanted",
    remedy: "use the customer's hostname",
  },
  "hostname-reserved": {
    cause:
      "the service refuses the domains test, example, invalid, localhost, example.com, example.net and example.org",
    remedy: "use a real domain",
  },
  "hostname-needs-branding": {
    cause: "the name is longer than the 64 characters that fit a certificate's common name",
    remedy: "set ssl.cloudflare_branding: true",
  },
  "ssl-method-missing": {
    cause: "ssl is set without a method of validation, which the service refuses for a new hostname",
    remedy: "set ssl.method to http, txt or email",
  },
  "ciphers-with-tls-1.3": {
    cause: "ciphers cannot be chosen where min_tls_version is 1.3",
    remedy: "leave out ssl.settings.ciphers",
  },
  "wildcard-settings": {
    cause: "a wildcard has TLS settings; those of a wildcard are the zone's",
    remedy: "leave out ssl.settings for it, or match wildcard: false in the policy",
  },
  "wildcard-metadata": { cause: "a wildcard has custom_metadata, which the service refuses", remedy: "leave it out" },
  "metadata-too-large": { cause: "custom_metadata has more than 4096 bytes of JSON", remedy: "keep less in it" },
  "certificate-without-key": {
    cause: "a certificate that is uploaded has no key beside it, or a key no certificate",
    remedy: "give both, as { file: PATH } or { env: NAME }",
  },
  "certificate-unreadable": {
    cause: "custom_certificate holds no certificate in PEM",
    remedy: "give it from BEGIN CERTIFICATE to END CERTIFICATE, with its intermediates behind it",
  },
  "key-unreadable": {
    cause: "custom_key holds no private key in PEM that can be read, perhaps because it has a passphrase",
    remedy: "give the private key in PEM, without a passphrase",
  },
  "certificate-other-key": {
    cause: "custom_key is not the key of custom_certificate",
    remedy: "give the key that the certificate was made for",
  },
  "certificate-other-hostname": {
    cause: "the uploaded certificate is not for the hostname",
    remedy: "give a certificate that has the hostname among its names",
  },
  "certificate-of-authority": {
    cause: "custom_certificate holds certificates of authorities only",
    remedy: "put the hostname's own certificate before them",
  },
  "certificates-several": {
    cause: "custom_certificate holds several certificates that are of no authority",
    remedy: "keep the hostname's own, with its intermediates",
  },
  "certificate-other-chain": {
    cause: "the intermediates in custom_certificate did not issue the hostname's certificate",
    remedy: "give those that belong to it, or none",
  },
  "certificate-chain-unsorted": {
    cause: "bundle_method force serves the chain as it is given, and it is not in order",
    remedy: "put each certificate before the one that issued it, the hostname's first",
  },
  "certificate-expired": {
    cause: "an uploaded certificate has expired, and visitors' browsers refuse it; the service does not renew it",
    remedy: "renew it where it came from, and give the new one",
  },
  "certificate-not-yet-valid": {
    cause: "an uploaded certificate is valid from a later day on, and visitors' browsers refuse it until then",
    remedy: "upload it from that day on",
  },
  "certificate-chain-incomplete": {
    cause: "bundle_method force serves the chain as it is given, and there is no intermediate certificate in it",
    remedy: "put the intermediates behind the certificate, or set bundle_method: ubiquitous",
  },
} as const;
