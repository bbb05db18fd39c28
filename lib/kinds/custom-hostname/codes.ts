import { type Problem, wordingFrom } from "../../core/diagnostic.ts";

/** Codes that only custom hostnames raise. */
export const CODES = {
  "hostname-invalid": {
    cause: "a name is not a hostname",
    message: "{hostname} is not a hostname",
    remedy: "use letters, digits and hyphens with dots between, for example app.customer-one.net",
  },
  "hostname-not-ascii": {
    cause: "a hostname has letters outside ASCII",
    message: "{hostname} has letters outside ASCII",
    remedy: "write the name in punycode: xn--…",
  },
  "hostname-too-long": {
    cause: "a hostname has more than 255 characters",
    message: "{hostname} has more than 255 characters",
    remedy: "use a shorter name",
  },
  "hostname-is-address": {
    cause: "an IP address is used as a hostname",
    message: "{hostname} is an IP address",
    remedy: "use the customer's hostname: a certificate is issued for a name",
  },
  "hostname-reserved": {
    cause: "Cloudflare refuses the domains test, example, invalid, localhost, example.com, example.net and example.org",
    message: "{hostname} ends in {what}",
    remedy:
      "use a real domain: Cloudflare refuses test, example, invalid and localhost (1409), and example.com, example.net and example.org (1411)",
  },
  "hostname-needs-branding": {
    cause: "the name is longer than the 64 characters that a certificate's common name holds",
    message: "{hostname} has {length} characters, but a certificate's common name holds {most}",
    remedy: "set ssl.cloudflare_branding: true; without it Cloudflare answers 1469",
  },
  "ssl-method-missing": {
    cause:
      "ssl has neither a validation method nor an uploaded certificate, and Cloudflare requires one of them for a new hostname",
    message: "{hostname} has ssl, but no ssl.method",
    remedy: "add method: http, txt or email to ssl; without it Cloudflare answers 1440",
  },
  "ciphers-with-tls-1.3": {
    cause: "ciphers, in the YAML or only live, cannot be set with min_tls_version 1.3",
    remedy: "remove the ciphers where they stand: ssl.settings.ciphers, or those of the live hostname",
  },
  "wildcard-settings": {
    cause: "a wildcard has its own TLS settings, but always gets those of the zone",
    message: "{hostname} is a wildcard, which always has the TLS settings of the zone",
    remedy: "remove ssl.settings for it, for example with match: { wildcard: false } on the policy",
  },
  "metadata-too-large": {
    cause: "custom_metadata has more than 4096 bytes as JSON",
    message: "custom_metadata has {bytes} bytes as JSON, at most {most} are allowed",
    remedy: "remove or shorten values",
  },
  "certificate-without-key": {
    cause: "an uploaded certificate has no key, or a key has no certificate",
    message: "{present} is set without {absent}",
    remedy: "set both, as { file: PATH } or { env: NAME }",
  },
  "certificate-unreadable": {
    cause: "custom_certificate contains no PEM certificate",
    message: "custom_certificate contains no readable PEM certificate",
    remedy: "provide it from BEGIN CERTIFICATE to END CERTIFICATE, followed by its intermediates",
  },
  "key-unreadable": {
    cause: "custom_key contains no readable PEM private key; it may have a passphrase",
    message: "custom_key contains no readable PEM private key",
    remedy: "provide the private key as PEM, without a passphrase",
  },
  "certificate-other-key": {
    cause: "custom_key does not belong to custom_certificate",
    message: "custom_key does not belong to custom_certificate",
    remedy: "provide the key of this certificate; with another one Cloudflare answers 1429",
  },
  "certificate-other-hostname": {
    cause: "the uploaded certificate does not cover the hostname",
    message: "the certificate is for {names}, not for {hostname}",
    remedy: "provide a certificate that covers the hostname; with another one Cloudflare answers 1446",
  },
  "certificate-expired": {
    cause: "an uploaded certificate has expired, so browsers reject it; Cloudflare does not renew it",
    message: "the uploaded certificate expired on {day}",
    remedy: "renew it with its issuer, and provide the new one",
  },
  "certificate-not-yet-valid": {
    cause: "an uploaded certificate is not valid yet, so browsers reject it",
    message: "the uploaded certificate is only valid from {day}",
    remedy: "wait until then: browsers reject it before",
  },
} as const;

/** Creates a problem of a custom hostname, with its texts. */
export const problem: Problem<typeof CODES> = wordingFrom(CODES);
