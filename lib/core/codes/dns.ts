/** What DNS shows: `plan --check-dns`, and the fallback origin's record. */
export const DNS = {
  "no-cname": {
    cause: "the hostname has no CNAME to the zone, so it will not become active",
    remedy: "ask the customer to set the CNAME record that the finding names",
  },
  "cname-unclear": {
    cause: "the hostname has no CNAME, but the addresses of the zone's target, as with apex proxying",
    remedy: "check that these are the addresses that Cloudflare assigned",
  },
  "caa-blocks-ca": {
    cause: "CAA records of the domain block the chosen certificate authority",
    remedy: "ask the customer to set the CAA records that the finding names (flag 0), or choose another CA",
  },
  "caa-restricts-ca": {
    cause: "CAA records allow the certificate authority only for certain accounts or methods",
    remedy: "check that Cloudflare's account and the validation method are among them",
  },
  "caa-allows-now": {
    cause: "CAA records blocked the CA, but DNS now shows other records",
    remedy: "start validation again: zoneform hostname retry HOSTNAME",
  },
  "caa-unseen": {
    cause: "Cloudflare reports that CAA records block the CA, but this DNS server does not know the domain",
    remedy: "look up the CAA records yourself, or pass --resolver with a DNS server that knows the domain",
  },
  "dns-unchecked": {
    cause: "DNS did not answer, so this could not be checked",
    remedy: "try again later, or use --resolver",
  },
  "dns-records-unreadable": {
    cause: "the token may not read the zone's DNS records",
    remedy: "give the token DNS Read for the zone, or ignore this: only the fallback origin's record stays unchecked",
  },
  "no-fallback-origin": {
    cause: "hostnames are declared, but the zone has no fallback origin and the YAML declares none",
    remedy: "declare fallback_origin in the zone's YAML",
  },
  "fallback-record-missing": {
    cause: "the fallback origin has no DNS record in the zone",
    remedy: "add a proxied A, AAAA or CNAME record for it",
  },
  "fallback-record-unproxied": {
    cause: "the fallback origin's DNS record is not proxied",
    remedy: "enable the proxy for the record",
  },
  "not-a-resolver": {
    cause: "--resolver is not the address of a DNS server",
    remedy: "pass an IP address, with a port if it is not 53",
  },
} as const;
