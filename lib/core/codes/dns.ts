/** What DNS shows: `plan --check-dns`, and the fallback origin's record. */
export const DNS = {
  "no-cname": {
    cause: "a hostname does not lead to the zone by a CNAME, so it will not become active",
    remedy: "the customer has to set the CNAME record that the finding names",
  },
  "cname-unclear": {
    cause: "a hostname has no CNAME, but addresses of the zone's target, as apex proxying looks",
    remedy: "see that the addresses are those that the service gave for it",
  },
  "caa-blocks-ca": {
    cause: "CAA records of the domain keep the chosen certificate authority from issuing",
    remedy: "the customer has to set the CAA records that the finding names, flag 0, or another CA is chosen",
  },
  "caa-restricts-ca": {
    cause: "CAA records allow the certificate authority for certain accounts or methods only",
    remedy: "see whether the service's account and the validation method are among them",
  },
  "caa-allows-now": {
    cause: "the service met CAA records that kept the CA from issuing, and DNS shows other ones by now",
    remedy: "have the hostname validated again: zoneform hostname retry HOSTNAME",
  },
  "caa-unseen": {
    cause: "the service says that CAA records block the CA, and the DNS server that was asked does not know the domain",
    remedy: "see the records with a DNS query of type CAA, or name a DNS server that knows the domain with --resolver",
  },
  "dns-unchecked": { cause: "DNS did not answer, so nothing is known", remedy: "look again later, or use --resolver" },
  "dns-records-unreadable": {
    cause: "the token may not read the zone's DNS records",
    remedy: "give it DNS Read for the zone, or have no look at the fallback origin's record",
  },
  "no-fallback-origin": {
    cause: "hostnames are wanted, and the zone has no fallback origin, nor is one declared",
    remedy: "declare fallback_origin in the zone's YAML",
  },
  "fallback-record-missing": {
    cause: "the fallback origin has no DNS record in the zone",
    remedy: "add a proxied A, AAAA or CNAME record for it",
  },
  "fallback-record-unproxied": {
    cause: "the fallback origin's DNS record is not proxied",
    remedy: "turn the proxy on for the record",
  },
  "not-a-resolver": {
    cause: "--resolver names no DNS server that can be asked",
    remedy: "write an IP address, with a port where it is not 53",
  },
} as const;
