import type { JsonObject } from "../../lib/core/json.ts";

/** An edit of TLS settings or of rules, and what a person says of it. */
export interface Edit {
  readonly name: string;
  readonly kind: "custom_hostname" | "ruleset" | "total_tls";
  /** What is live and was applied. */
  readonly from: JsonObject;
  /** What the YAML says now. */
  readonly to: JsonObject;
  readonly judged: "dangerous" | "harmless";
  readonly because: string;
}

const tls = (settings: JsonObject): JsonObject => ({ ssl: { method: "http", type: "dv", settings } });
const rules = (...list: readonly JsonObject[]): JsonObject => ({ rules: list });
const rule = (ref: string, action: string, expression: string, more: JsonObject = {}): JsonObject => ({
  ref,
  action,
  expression,
  enabled: true,
  ...more,
});

const ADMIN = 'starts_with(http.request.uri.path, "/admin")';
const UPLOAD = 'starts_with(http.request.uri.path, "/upload")';
const HEALTH = 'http.request.uri.path eq "/healthz"';
const OFFICE = "ip.src in {192.0.2.1 192.0.2.2}";
const CRAWLER = 'http.user_agent contains "BadBot"';
const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const THRESHOLD = "6179ae15870a4bb7b2d480d4843b323c";

const STRONG = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"];

const block = rule("block-admin", "block", ADMIN);
const challenge = rule("challenge-bots", "managed_challenge", CRAWLER);
const blockUpload = rule("block-upload", "block", UPLOAD);
const skipOffice = rule("skip-office", "skip", OFFICE, { action_parameters: { ruleset: "current" } });
const skipHealth = rule("skip-health", "skip", HEALTH, { action_parameters: { phases: ["http_ratelimit"] } });
const logUpload = rule("log-upload", "log", UPLOAD);
const execute = (overrides?: JsonObject): JsonObject =>
  rule("run-managed", "execute", "true", {
    action_parameters: { id: MANAGED, version: "latest", ...(overrides ? { overrides } : {}) },
  });
const owasp = (threshold: number): JsonObject =>
  rule("run-owasp", "execute", "true", {
    action_parameters: { id: OWASP, overrides: { rules: [{ id: THRESHOLD, score_threshold: threshold }] } },
  });
const limit = (more: JsonObject = {}, action = "block"): JsonObject =>
  rule("limit-login", action, 'http.request.uri.path eq "/login"', {
    ratelimit: {
      characteristics: ["ip.src", "cf.colo.id"],
      period: 60,
      requests_per_period: 20,
      mitigation_timeout: 600,
      ...more,
    },
  });
const config = (parameters: JsonObject, expression = UPLOAD): JsonObject =>
  rule("config-upload", "set_config", expression, { action_parameters: parameters });

/**
 * Forty edits, each judged before the code that looks for `weakens-protection` was run. What the words mean:
 * dangerous is an edit after which some request or some client gets through that was stopped, challenged or refused before.
 */
export const EDITS: readonly Edit[] = [
  {
    name: "TLS minimum from 1.2 to 1.1",
    kind: "custom_hostname",
    from: tls({ min_tls_version: "1.2" }),
    to: tls({ min_tls_version: "1.1" }),
    judged: "dangerous",
    because: "clients with a broken version of TLS are let in again",
  },
  {
    name: "TLS minimum from unset to 1.0",
    kind: "custom_hostname",
    from: tls({ http2: "on" }),
    to: tls({ http2: "on", min_tls_version: "1.0" }),
    judged: "dangerous",
    because: "the zone's own minimum held before, which may be higher, and nothing is lower than 1.0",
  },
  {
    name: "TLS minimum from 1.0 to 1.2",
    kind: "custom_hostname",
    from: tls({ min_tls_version: "1.0" }),
    to: tls({ min_tls_version: "1.2" }),
    judged: "harmless",
    because: "fewer versions are accepted than before",
  },
  {
    name: "TLS 1.3 switched off",
    kind: "custom_hostname",
    from: tls({ tls_1_3: "on" }),
    to: tls({ tls_1_3: "off" }),
    judged: "dangerous",
    because: "the best version is taken away from every client",
  },
  {
    name: "TLS 1.3 switched on, and HTTP/2",
    kind: "custom_hostname",
    from: tls({ tls_1_3: "off", http2: "off" }),
    to: tls({ tls_1_3: "on", http2: "on" }),
    judged: "harmless",
    because: "a better version is added, and HTTP/2 protects nobody",
  },
  {
    name: "a cipher without forward secrecy added",
    kind: "custom_hostname",
    from: tls({ ciphers: STRONG }),
    to: tls({ ciphers: [...STRONG, "AES128-SHA"] }),
    judged: "dangerous",
    because: "connections can be made that a stolen key opens later",
  },
  {
    name: "the list of ciphers emptied",
    kind: "custom_hostname",
    from: tls({ ciphers: STRONG }),
    to: tls({ ciphers: [] }),
    judged: "dangerous",
    because: "an empty list means the service's own, which is longer and has weak ones",
  },
  {
    name: "one cipher of two removed",
    kind: "custom_hostname",
    from: tls({ ciphers: STRONG }),
    to: tls({ ciphers: STRONG.slice(0, 1) }),
    judged: "harmless",
    because: "nothing is accepted that was not accepted before, in the same order",
  },
  {
    name: "Total TLS switched off",
    kind: "total_tls",
    from: { enabled: true, certificate_authority: "google" },
    to: { enabled: false, certificate_authority: "google" },
    judged: "dangerous",
    because: "names of the zone lose the certificate that they are served with",
  },
  {
    name: "Total TLS switched on",
    kind: "total_tls",
    from: { enabled: false },
    to: { enabled: true },
    judged: "harmless",
    because: "names get certificates that had none",
  },
  {
    name: "a blocking rule removed",
    kind: "ruleset",
    from: rules(block, challenge),
    to: rules(challenge),
    judged: "dangerous",
    because: "nothing stops requests for /admin any more",
  },
  {
    name: "a blocking rule disabled",
    kind: "ruleset",
    from: rules(block, challenge),
    to: rules({ ...block, enabled: false }, challenge),
    judged: "dangerous",
    because: "a disabled rule does as little as one that is gone",
  },
  {
    name: "a disabled blocking rule removed",
    kind: "ruleset",
    from: rules({ ...block, enabled: false }, challenge),
    to: rules(challenge),
    judged: "harmless",
    because: "it stopped nothing before",
  },
  {
    name: "a blocking rule that only logs now",
    kind: "ruleset",
    from: rules(block),
    to: rules({ ...block, action: "log" }),
    judged: "dangerous",
    because: "requests that were stopped are only written down",
  },
  {
    name: "a blocking rule that only challenges now",
    kind: "ruleset",
    from: rules(block),
    to: rules({ ...block, action: "managed_challenge" }),
    judged: "dangerous",
    because: "whoever solves the challenge gets in",
  },
  {
    name: "a logging rule that blocks now",
    kind: "ruleset",
    from: rules(logUpload),
    to: rules({ ...logUpload, action: "block" }),
    judged: "harmless",
    because: "nothing was stopped before, and something is now",
  },
  {
    name: "a blocking rule that leaves out an address",
    kind: "ruleset",
    from: rules(block),
    to: rules({ ...block, expression: `${ADMIN} and ip.src ne 203.0.113.9` }),
    judged: "dangerous",
    because: "that address gets to /admin now",
  },
  {
    name: "a blocking rule that takes in another path",
    kind: "ruleset",
    from: rules(block),
    to: rules({ ...block, expression: `(${ADMIN}) or (http.request.uri.path eq "/debug")` }),
    judged: "harmless",
    because: "everything that it stopped is still stopped",
  },
  {
    name: "a blocking rule that says the same in other words",
    kind: "ruleset",
    from: rules(rule("no-post", "block", 'http.request.method eq "POST"')),
    to: rules(rule("no-post", "block", 'not (http.request.method ne "POST")')),
    judged: "harmless",
    because: "both are true of the same requests, which a person sees and a simple comparison may not",
  },
  {
    name: "a new description of a blocking rule",
    kind: "ruleset",
    from: rules({ ...block, description: "admin" }),
    to: rules({ ...block, description: "nobody needs /admin from outside" }),
    judged: "harmless",
    because: "it is for people",
  },
  {
    name: "another page for blocked requests",
    kind: "ruleset",
    from: rules(block),
    to: rules({
      ...block,
      action_parameters: { response: { status_code: 404, content: "no", content_type: "text/plain" } },
    }),
    judged: "harmless",
    because: "the request is stopped all the same",
  },
  {
    name: "a blocking rule moved behind one that skips the rest",
    kind: "ruleset",
    from: rules(block, skipOffice),
    to: rules(skipOffice, block),
    judged: "dangerous",
    because: "the office gets to /admin now",
  },
  {
    name: "a skipping rule moved behind the blocking one",
    kind: "ruleset",
    from: rules(skipOffice, block),
    to: rules(block, skipOffice),
    judged: "harmless",
    because: "it skips less than before",
  },
  {
    name: "two plain blocking rules in the other order",
    kind: "ruleset",
    from: rules(block, blockUpload),
    to: rules(blockUpload, block),
    judged: "harmless",
    because: "what either of them matches is blocked in any order",
  },
  {
    name: "a logging rule moved ahead of a blocking one",
    kind: "ruleset",
    from: rules(block, logUpload),
    to: rules(logUpload, block),
    judged: "harmless",
    because: "logging stops no request and lets none through",
  },
  {
    name: "a skipping rule added",
    kind: "ruleset",
    from: rules(block),
    to: rules(skipOffice, block),
    judged: "dangerous",
    because: "the office gets to /admin now",
  },
  {
    name: "a skipping rule removed",
    kind: "ruleset",
    from: rules(skipOffice, block),
    to: rules(block),
    judged: "harmless",
    because: "nobody is let past any more",
  },
  {
    name: "a skipping rule for every path instead of one",
    kind: "ruleset",
    from: rules(skipHealth, block),
    to: rules({ ...skipHealth, expression: 'starts_with(http.request.uri.path, "/")' }, block),
    judged: "dangerous",
    because: "rate limits are off for every request, and not only for the health check",
  },
  {
    name: "a skipping rule for one address of two",
    kind: "ruleset",
    from: rules(skipOffice, block),
    to: rules({ ...skipOffice, expression: "ip.src in {192.0.2.1}" }, block),
    judged: "harmless",
    because: "fewer are let past",
  },
  {
    name: "a skipping rule that skips one phase more",
    kind: "ruleset",
    from: rules(skipHealth),
    to: rules({
      ...skipHealth,
      action_parameters: { phases: ["http_ratelimit", "http_request_firewall_managed"] },
    }),
    judged: "dangerous",
    because: "the managed rules are off for the health check as well",
  },
  {
    name: "a rate limit raised",
    kind: "ruleset",
    from: rules(limit()),
    to: rules(limit({ requests_per_period: 2000 })),
    judged: "dangerous",
    because: "a hundred times as many passwords can be tried",
  },
  {
    name: "a rate limit lowered, with a longer penalty",
    kind: "ruleset",
    from: rules(limit()),
    to: rules(limit({ requests_per_period: 10, mitigation_timeout: 3600 })),
    judged: "harmless",
    because: "whoever was stopped before is stopped earlier, and for longer",
  },
  {
    name: "a rate limit that counts by another header",
    kind: "ruleset",
    from: rules(limit()),
    to: rules(limit({ characteristics: ["cf.colo.id", 'http.request.headers["x-client"]'] })),
    judged: "dangerous",
    because: "an attacker chooses the header, and so never reaches the limit",
  },
  {
    name: "an override that disables one managed rule",
    kind: "ruleset",
    from: rules(execute()),
    to: rules(execute({ rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", enabled: false }] })),
    judged: "dangerous",
    because: "that managed rule does not run any more",
  },
  {
    name: "managed rules that all only log",
    kind: "ruleset",
    from: rules(execute({ categories: [{ category: "wordpress", action: "block" }] })),
    to: rules(execute({ categories: [{ category: "wordpress", action: "block" }], action: "log" })),
    judged: "dangerous",
    because: "attacks that were blocked are only written down",
  },
  {
    name: "an override that only logged taken away",
    kind: "ruleset",
    from: rules(execute({ action: "log" })),
    to: rules(execute()),
    judged: "harmless",
    because: "logging is the least that a managed rule does",
  },
  {
    name: "the OWASP threshold from 25 to 60",
    kind: "ruleset",
    from: rules(owasp(25)),
    to: rules(owasp(60)),
    judged: "dangerous",
    because: "an attack has to look more than twice as bad before it is stopped",
  },
  {
    name: "the OWASP threshold from 60 to 25",
    kind: "ruleset",
    from: rules(owasp(60)),
    to: rules(owasp(25)),
    judged: "harmless",
    because: "more is stopped than before",
  },
  {
    name: "a setting that turns the browser check off added",
    kind: "ruleset",
    from: rules(config({ polish: "off" })),
    to: rules(config({ polish: "off", bic: false, security_level: "essentially_off" })),
    judged: "dangerous",
    because: "two defences are off for uploads",
  },
  {
    name: "a setting that only concerns images changed",
    kind: "ruleset",
    from: rules(config({ polish: "off" })),
    to: rules(config({ polish: "lossy", mirage: true })),
    judged: "harmless",
    because: "how images are packed protects nobody",
  },
];
