/** How calls to the service end, and what they need. */
export const CALLS = {
  "no-credential": {
    cause: "no credential is set in the environment",
    remedy: "set CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY",
  },
  "bad-credential": {
    cause: "the service does not take the credential for one",
    remedy: "check the credential in the environment: that it is whole, still valid, and of this account",
  },
  "bad-endpoint": {
    cause: "the URL of the API cannot be used: it is no URL, or would send the credential in the clear",
    remedy: "check --api-url and CLOUDFLARE_BASE_URL; plain http is for 127.0.0.1, ::1 and localhost only",
  },
  "not-allowed": {
    cause: "the credential may not do this, or may not see the zone",
    remedy: "give the token the permission, for this zone",
  },
  "refused-by-service": {
    cause: "the service understood the call, and refused it",
    remedy: "the message has the service's code: zoneform explain CODE",
  },
  "not-found": { cause: "the service knows no such object", remedy: "check the ids, then plan again" },
  throttled: {
    cause: "the service refuses calls as too many, and waiting did not help",
    remedy: "see who else uses the same user's credentials; wait 5 minutes, or lower budget.api",
  },
  "service-failed": { cause: "the service failed", remedy: "try again later; see its status page" },
  unconfirmed: {
    cause: "the service answered that a write was done, but neither its answer nor the live object shows what was sent",
    remedy: "look at the live object, then plan again; the next run reads it before it writes",
  },
  "no-fresh-read": {
    cause: "a write leaves within a second of the read that it rests on, and in 10 attempts that was not possible",
    remedy: "apply again, with a lower --parallelism or when the machine and the rate limits are less busy",
  },
  "answer-lost": {
    cause: "a write was sent and its answer never came: it may have taken effect",
    remedy: "do the same again: the object is looked up first, so nothing is made twice",
  },
  unreachable: {
    cause: "no answer came, and nothing can have changed",
    remedy: "check --api-url or CLOUDFLARE_BASE_URL, the network, the firewall and proxies on the way",
  },
  "not-json": {
    cause: "what answered is not the service's API",
    remedy: "check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4)",
  },
  redirected: {
    cause: "what answered points elsewhere, and zoneform takes its credential nowhere else",
    remedy: "check --api-url and CLOUDFLARE_BASE_URL",
  },
  "strange-answer": {
    cause: "the service's answer is not of the documented form",
    remedy: "try again; if it stays, please report it with the message",
  },
  unexpected: { cause: "something went wrong that should not", remedy: "please report it with the message" },
  "zone-name-differs": {
    cause: "the zone of that id has another name than the YAML gives it",
    remedy: "correct zone.id or zone.name: nothing is planned for a zone that may be another one",
  },
  "empty-budget": {
    cause: "the budget never has room for all the calls or certificates that one change needs at once",
    remedy: "raise budget.api or budget.issuance in zoneform.yaml, or set it to unlimited",
  },
  interrupted: {
    cause: "the run was interrupted between the requests of one step",
    remedy: "apply again: the rest of the step is planned from what is live",
  },
} as const;
