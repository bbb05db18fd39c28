/** Codes that only custom hostnames raise. */
export const CODES = {
  "hostname-invalid": {
    cause: "a name is not a hostname",
    remedy: "use letters, digits and hyphens with dots between, for example app.customer-one.net",
  },
  "hostname-not-ascii": { cause: "a hostname has letters outside ASCII", remedy: "write it in punycode: xn--…" },
  "hostname-too-long": { cause: "a hostname has more than 255 characters", remedy: "use a shorter name" },
  "hostname-is-address": {
    cause: "an IP address is used as a hostname",
    remedy: "use the customer's hostname",
  },
  "hostname-reserved": {
    cause: "Cloudflare refuses the domains test, example, invalid, localhost, example.com, example.net and example.org",
    remedy: "use a real domain",
  },
  "hostname-needs-branding": {
    cause: "the name is longer than the 64 characters that a certificate's common name holds",
    remedy: "set ssl.cloudflare_branding: true",
  },
  "ssl-method-missing": {
    cause: "ssl has no validation method, which Cloudflare requires for a new hostname",
    remedy: "add method: http, txt or email to ssl",
  },
  "ciphers-with-tls-1.3": {
    cause: "ciphers, in the YAML or only live, cannot be set with min_tls_version 1.3",
    remedy: "remove the ciphers where they stand: ssl.settings.ciphers, or those of the live hostname",
  },
  "wildcard-settings": {
    cause: "a wildcard has its own TLS settings, but always gets those of the zone",
    remedy: "remove ssl.settings for it, or add match: { wildcard: false } to the policy",
  },
  "wildcard-metadata": { cause: "a wildcard has custom_metadata, which Cloudflare refuses", remedy: "remove it" },
  "metadata-too-large": {
    cause: "custom_metadata has more than 4096 bytes as JSON",
    remedy: "remove or shorten values",
  },
  "certificate-without-key": {
    cause: "an uploaded certificate has no key, or a key has no certificate",
    remedy: "set both, as { file: PATH } or { env: NAME }",
  },
  "certificate-unreadable": {
    cause: "custom_certificate contains no PEM certificate",
    remedy: "provide it from BEGIN CERTIFICATE to END CERTIFICATE, followed by its intermediates",
  },
  "key-unreadable": {
    cause: "custom_key contains no readable PEM private key; it may have a passphrase",
    remedy: "provide the private key as PEM, without a passphrase",
  },
  "certificate-other-key": {
    cause: "custom_key does not belong to custom_certificate",
    remedy: "provide the key of this certificate",
  },
  "certificate-other-hostname": {
    cause: "the uploaded certificate does not cover the hostname",
    remedy: "provide a certificate that covers the hostname",
  },
  "certificate-of-authority": {
    cause: "custom_certificate contains only CA certificates",
    remedy: "put the hostname's own certificate first",
  },
  "certificates-several": {
    cause: "custom_certificate contains several certificates that are not CA certificates",
    remedy: "keep the hostname's own and its intermediates",
  },
  "certificate-other-chain": {
    cause: "the intermediates in custom_certificate did not issue the hostname's certificate",
    remedy: "provide its own intermediates, or none",
  },
  "certificate-chain-unsorted": {
    cause: "bundle_method: force serves the chain as it is, and it is not in order",
    remedy: "begin with the hostname's certificate, and put each certificate before its issuer",
  },
  "certificate-expired": {
    cause: "an uploaded certificate has expired, so browsers reject it; Cloudflare does not renew it",
    remedy: "renew it with its issuer, and provide the new one",
  },
  "certificate-not-yet-valid": {
    cause: "an uploaded certificate is not valid yet, so browsers reject it",
    remedy: "upload it when it is valid",
  },
  "certificate-chain-incomplete": {
    cause: "bundle_method: force serves the chain as it is, and it has no intermediate certificate",
    remedy: "add the intermediates after the certificate, or set bundle_method: ubiquitous",
  },
} as const;
