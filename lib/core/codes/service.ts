/** How calls to the service end, and what they need. */
export const CALLS = {
  "no-credential": {
    cause: "no credential is set in the environment",
    remedy: "set CLOUDFLARE_API_TOKEN to an API token (or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY) in the environment",
  },
  "bad-credential": {
    cause: "Cloudflare does not recognize the credential",
    remedy: "check the credential in the environment: it must be complete, valid, and of this account",
  },
  "bad-endpoint": {
    cause: "the API URL cannot be used: it is not a URL, or it would send the credential unencrypted",
    message: "the URL of {from} {fault}",
    remedy:
      "give the API's base URL, such as https://api.cloudflare.com/client/v4; plain http only for 127.0.0.1, ::1 and localhost",
  },
  "bad-webhook": {
    cause: "the address for notifications cannot be used: it is not a URL, or it would be sent unencrypted",
    message: "the URL of {from} {fault}",
    remedy: "give an https URL, or slack=URL; plain http only for 127.0.0.1, ::1 and localhost",
  },
  "not-notified": {
    cause: "a notification could not be sent; what the command did, and its exit code, stay as they are",
    message: "the notification was not sent to {host}: {reason}",
    remedy: "check the address of --notify or ZONEFORM_NOTIFY_URL, and whether it can be reached from here",
  },
  "not-allowed": {
    cause: "the credential lacks a permission, or cannot see the zone",
    remedy: "give the token the permission for this zone",
  },
  "refused-by-service": {
    cause: "Cloudflare understood the call and refused it",
    remedy: "look up Cloudflare's code in the message: zoneform explain CODE",
  },
  "not-found": { cause: "Cloudflare does not know this object", remedy: "check the ids, then plan again" },
  throttled: {
    cause: "Cloudflare is rate limiting these calls, and waiting did not help",
    message: "Cloudflare is rate limiting these calls, and waiting did not help ({detail})",
    remedy: "find out who else uses this user's credentials; wait 5 minutes, or lower budget.api",
  },
  "service-failed": { cause: "Cloudflare failed", remedy: "try again later, and look at Cloudflare's status page" },
  unconfirmed: {
    cause: "Cloudflare reported success, but neither its response nor the live object shows what was sent",
    remedy: "check the live object, then plan again",
  },
  "no-fresh-read": {
    cause: "Zoneform writes only within a second of reading the object, and 10 attempts did not manage that",
    message: "nothing was written, because what had just been read kept getting too old ({detail})",
    remedy: "apply again, with a lower --parallelism or when the machine and the rate limits are less busy",
  },
  "answer-lost": {
    cause: "a write got no response: it may have taken effect",
    message: "it may have taken effect: {reason}",
    remedy: "apply again: Zoneform looks the object up first, so nothing is created twice",
  },
  unreachable: {
    cause: "Cloudflare could not be reached; nothing was changed",
    message: "Cloudflare cannot be reached ({detail})",
    remedy: "check --api-url or CLOUDFLARE_BASE_URL, the network, the firewall and proxies on the way",
  },
  "not-json": {
    cause: "the server did not answer with Cloudflare API JSON",
    message: "the server did not answer with Cloudflare API JSON ({detail})",
    remedy:
      "check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4), and proxies on the way",
  },
  redirected: {
    cause: "the server redirects elsewhere, and Zoneform sends its credential nowhere else",
    message: "the server did not answer with Cloudflare API JSON ({detail})",
    remedy:
      "check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4), and proxies on the way",
  },
  "strange-answer": {
    cause: "Cloudflare's response does not have the documented form",
    message: "Cloudflare's answer is not of the documented form ({detail})",
    remedy: "try again; if it stays, please report it with this message",
  },
  unexpected: {
    cause: "this is a bug in Zoneform",
    message: "unexpected failure ({detail})",
    remedy: "please report it with this message",
  },
  "zone-name-differs": {
    cause: "the zone with this id has another name than in the YAML",
    message: "zone {id} is {name}, and the YAML calls it {declared}",
    remedy: "correct zone.id or zone.name; Zoneform plans nothing for a zone that may be the wrong one",
  },
  "empty-budget": {
    cause: "one change needs more API calls or certificates at once than the budget ever allows",
    remedy: "raise budget.api or budget.issuance in zoneform.yaml, or set it to unlimited",
  },
  interrupted: {
    cause: "the run was interrupted between the requests of one step",
    message: "the run was interrupted",
    remedy: "apply again: the rest is planned from what is live",
  },
} as const;

/** What DNS shows: `plan --check-dns`, and the fallback origin's record. */
export const DNS = {
  "no-cname": {
    cause: "the hostname has no CNAME to the zone, so it will not become active",
    remedy: "ask the customer to set the CNAME record that the finding names",
  },
  "cname-unclear": {
    cause: "the hostname has no CNAME, but the addresses of the zone's target, as with apex proxying",
    message:
      "cannot tell whether {count} without CNAME lead to {zone}, because {target} has the same addresses: {hostnames}",
    remedy:
      "nothing to do if that is intended (apex proxying, CNAME flattening); else ask the customer for a CNAME, such as {record}",
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
    message: "Cloudflare says that CAA records block the CA, but the records in DNS now allow it: {hostnames}",
    remedy: "there is no CAA record to set; restart the validation: zoneform hostname retry {hostname}",
  },
  "caa-unseen": {
    cause: "Cloudflare reports that CAA records block the CA, but this DNS server does not know the domain",
    message:
      "DNS did not show the CAA records that block the CA, so records closer to the hostname may override those to set: {hostnames}",
    remedy: "look them up with a DNS query of type CAA, or pass --resolver with a DNS server that knows the domain",
  },
  "dns-unchecked": {
    cause: "DNS did not answer, so this could not be checked",
    message: "{hostnames} could not be checked: {fault} {names}",
    remedy: "plan again, or pass --resolver with a DNS server that answers",
  },
  "dns-records-unreadable": {
    cause: "the token may not read the zone's DNS records",
    message: "the credential may not read the DNS records of {zone}, so the record of {origin} was not checked",
    remedy: "give the token DNS Read for the zone",
  },
  "no-fallback-origin": {
    cause: "hostnames are declared, but the zone has no fallback origin and the YAML declares none",
    remedy: "declare fallback_origin in the zone's YAML",
  },
  "fallback-record-missing": {
    cause: "the fallback origin has no DNS record in the zone",
    message: "{zone} has no A, AAAA or CNAME record for its fallback origin {origin}",
    remedy: "add a proxied A, AAAA or CNAME record for it",
  },
  "fallback-record-unproxied": {
    cause: "the fallback origin's DNS record is not proxied",
    message: "the record of the fallback origin is not proxied: {record}",
    remedy: "set proxied: true on it; otherwise requests bypass Cloudflare",
  },
  "not-a-resolver": {
    cause: "--resolver is not the address of a DNS server",
    message: "--resolver {text} is no address of a DNS server",
    remedy: "write an IP address, with a port where it is not 53, as in 127.0.0.1:5353 or [::1]:5353",
  },
} as const;
