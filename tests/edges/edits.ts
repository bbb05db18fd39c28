import { at, type Json, text } from "../support/emulator.ts";
import { CLOUDFLARE_MANAGED, CUSTOM, type Dashboard, MANAGED, RATE, SQLI_RULE } from "./zone.ts";

/** An edit that somebody makes in the dashboard of `zone.ts`. */
export interface Edit {
  readonly title: string;
  readonly make: (dashboard: Dashboard) => void;
}

/** An edit that opens the edge or takes customers down, with the danger that has to be named. */
export interface DangerousEdit extends Edit {
  readonly hazard: "outage" | "weakens-protection";
  /** The addresses of all objects for which the hazard is named. */
  readonly on: readonly string[];
  /** Whether live and the YAML suffice to know it. */
  readonly isKnownWithoutState: boolean;
  /** The service would mend it within minutes. */
  readonly isLookedAtAtOnce?: true;
  /** Rules and places of others, packs and fallback origins. */
  readonly isShared?: true;
}

const hostname = (name: string): string => `custom_hostname[${JSON.stringify(name)}]`;
const ruleset = (phase: string): string => `ruleset[${JSON.stringify(phase)}]`;
const setting = (name: string): string => `zone_setting[${JSON.stringify(name)}]`;
const PACK = 'certificate_pack["*.saas.net,saas.net"]';

const known = { isKnownWithoutState: true } as const;
const weaker = (address: string): Pick<DangerousEdit, "hazard" | "on" | "isKnownWithoutState"> => {
  return { hazard: "weakens-protection", on: [address], ...known };
};
const down = (...on: readonly string[]): Pick<DangerousEdit, "hazard" | "on" | "isKnownWithoutState"> => {
  return { hazard: "outage", on, ...known };
};
/** A foreign rule: without a state nobody knows whether it has always been there, so it counts as new. */
const theirs = (phase: string): Pick<DangerousEdit, "hazard" | "on" | "isKnownWithoutState" | "isShared"> => {
  return { ...weaker(ruleset(phase)), isShared: true };
};

type Rule = { [key: string]: Json };
const SKIP_ALL: Rule = {
  ref: "quick-fix",
  action: "skip",
  expression: "true",
  action_parameters: { ruleset: "current" },
};
const first =
  (rule: Rule) =>
  (rules: Rule[]): Rule[] => [rule, ...rules];
const last =
  (rule: Rule) =>
  (rules: Rule[]): Rule[] => [...rules, rule];
const removing =
  (...refs: readonly string[]) =>
  (rules: Rule[]): Rule[] =>
    rules.filter((rule) => !refs.includes(text(rule, "ref")));
/** Moves a rule to the front. */
const toFront =
  (moved: string) =>
  (rules: Rule[]): Rule[] => [...rules.filter(({ ref }) => ref === moved), ...rules.filter(({ ref }) => ref !== moved)];

/** Edits that open the edge or take customers down, judged by a person before there was any code. */
export const DANGEROUS: readonly DangerousEdit[] = [
  // Hostnames.
  {
    title: "a hostname accepts TLS 1.0",
    make: ({ tls }) => tls("shop.acme.net", { min_tls_version: "1.0" }),
    ...weaker(hostname("shop.acme.net")),
  },
  {
    title: "a gold hostname accepts TLS 1.2",
    make: ({ tls }) => tls("pay.birch.net", { min_tls_version: "1.2" }),
    ...weaker(hostname("pay.birch.net")),
  },
  {
    title: "TLS 1.3 is switched off for a hostname",
    make: ({ tls }) => tls("pay.birch.net", { tls_1_3: "off" }),
    ...weaker(hostname("pay.birch.net")),
  },
  {
    title: "a hostname accepts 3DES",
    make: ({ tls }) => tls("pos.cedar.net", { ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256", "DES-CBC3-SHA"] }),
    ...weaker(hostname("pos.cedar.net")),
  },
  {
    title: "a hostname is deleted",
    make: ({ deleteHostname }) => deleteHostname("shop.acme.net"),
    ...down(hostname("shop.acme.net")),
  },
  {
    title: "a hostname is deleted while it is deployed again",
    make: ({ status, deleteHostname }) => {
      status("shop.acme.net", "active_redeploying");
      deleteHostname("shop.acme.net");
    },
    ...down(hostname("shop.acme.net")),
  },
  {
    title: "every hostname is deleted",
    make: ({ deleteHostname }) =>
      ["shop.acme.net", "www.acme.net", "pay.birch.net", "pos.cedar.net"].map(deleteHostname),
    ...down(...["shop.acme.net", "www.acme.net", "pay.birch.net", "pos.cedar.net"].map(hostname)),
  },
  {
    title: "a hostname is deleted and created again, and waits for its certificate",
    make: ({ send, deleteHostname }) => {
      deleteHostname("shop.acme.net");
      const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.2" } };
      send("POST", "custom_hostnames", { hostname: "shop.acme.net", ssl });
    },
    ...down(hostname("shop.acme.net")),
    isKnownWithoutState: false,
    isLookedAtAtOnce: true,
  },
  {
    title: "a hostname is sent to another origin",
    make: ({ hostname: edit }) => edit("pos.cedar.net", { custom_origin_server: "origin2.saas.net" }),
    ...down(hostname("pos.cedar.net")),
  },

  // Our rules.
  {
    title: "a block rule is removed",
    make: ({ rules }) => rules(CUSTOM, removing("sec/block-admin")),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a block rule is switched off",
    make: ({ rule }) => rule(CUSTOM, "sec/block-admin", { enabled: false }),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a block rule only logs",
    make: ({ rule }) => rule(CUSTOM, "sec/block-admin", { action: "log" }),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a block rule matches fewer requests",
    make: ({ rule }) =>
      rule(CUSTOM, "sec/block-admin", {
        expression: '(starts_with(http.request.uri.path, "/admin")) and ip.src ne 203.0.113.9',
      }),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a skip rule matches every request",
    make: ({ rule }) => rule(CUSTOM, "sec/skip-office", { expression: "true" }),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a skip rule skips the managed rules as well",
    make: ({ rule }) => rule(CUSTOM, "sec/skip-office", { action_parameters: { phases: [RATE, MANAGED] } }),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a skip rule is added under our prefix",
    make: ({ rules }) => rules(CUSTOM, first({ ...SKIP_ALL, ref: "sec/quick-fix" })),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "a challenge moves ahead of the blocks",
    make: ({ rules }) => rules(CUSTOM, toFront("sec/challenge")),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "all rules of an entry point are removed",
    make: ({ rules }) => rules(CUSTOM, () => []),
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "an entry point is deleted",
    make: ({ send }) => {
      send("DELETE", `rulesets/${text(send("GET", `rulesets/phases/${CUSTOM}/entrypoint`), "id")}`);
    },
    ...weaker(ruleset(CUSTOM)),
  },
  {
    title: "the managed rules are switched off",
    make: ({ rule }) => rule(MANAGED, "sec/managed", { enabled: false }),
    ...weaker(ruleset(MANAGED)),
  },
  {
    title: "a managed rule only logs",
    make: ({ rule }) =>
      rule(MANAGED, "sec/managed", {
        action_parameters: { id: CLOUDFLARE_MANAGED, overrides: { rules: [{ id: SQLI_RULE, action: "log" }] } },
      }),
    ...weaker(ruleset(MANAGED)),
  },
  {
    title: "the managed rules no longer run",
    make: ({ rules }) => rules(MANAGED, removing("sec/managed")),
    ...weaker(ruleset(MANAGED)),
  },
  {
    title: "a rate limit allows a hundred times as much",
    make: ({ rule }) =>
      rule(RATE, "sec/limit-login", {
        ratelimit: {
          characteristics: ["cf.colo.id", "ip.src"],
          period: 60,
          requests_per_period: 2000,
          mitigation_timeout: 600,
        },
      }),
    ...weaker(ruleset(RATE)),
  },
  {
    title: "a rate limit is removed",
    make: ({ rules }) => rules(RATE, removing("sec/limit-login")),
    ...weaker(ruleset(RATE)),
  },

  // Settings of the zone.
  {
    title: "the zone accepts TLS 1.0",
    make: ({ send }) => send("PATCH", "settings/min_tls_version", { value: "1.0" }),
    ...weaker(setting("min_tls_version")),
  },
  {
    title: "the zone answers HTTP",
    make: ({ send }) => send("PATCH", "settings/always_use_https", { value: "off" }),
    ...weaker(setting("always_use_https")),
  },
  {
    title: "the security level drops",
    make: ({ send }) => send("PATCH", "settings/security_level", { value: "essentially_off" }),
    ...weaker(setting("security_level")),
  },
  {
    title: "the way to the origins is not encrypted",
    make: ({ send }) => send("PATCH", "settings/ssl", { value: "flexible" }),
    ...weaker(setting("ssl")),
  },
  {
    title: "TLS 1.3 is switched off for the zone",
    make: ({ send }) => send("PATCH", "settings/tls_1_3", { value: "off" }),
    ...weaker(setting("tls_1_3")),
  },
  {
    title: "Total TLS is switched off",
    make: ({ send }) => send("POST", "acm/total_tls", { enabled: false }),
    ...weaker("total_tls"),
  },
  {
    title: "the hold of the zone is released",
    make: ({ send }) => send("DELETE", "hold"),
    ...weaker("zone_hold"),
  },
  {
    title: "the hold of the zone no longer covers names below it",
    make: ({ send }) => send("PATCH", "hold", { include_subdomains: false }),
    ...weaker("zone_hold"),
  },

  // Fallback origins and packs.
  {
    title: "the fallback origin is set to a name without a record",
    make: ({ send }) => send("PUT", "custom_hostnames/fallback_origin", { origin: "nowhere.saas.net" }),
    ...down("fallback_origin"),
    isShared: true,
  },
  {
    title: "the fallback origin is set to a name whose record is not proxied",
    make: ({ send }) => send("PUT", "custom_hostnames/fallback_origin", { origin: "unproxied.saas.net" }),
    ...down("fallback_origin"),
    isShared: true,
  },
  {
    title: "the fallback origin is set to another server",
    make: ({ send }) => send("PUT", "custom_hostnames/fallback_origin", { origin: "origin2.saas.net" }),
    ...down("fallback_origin"),
    isShared: true,
  },
  {
    title: "the fallback origin is deleted",
    make: ({ send }) => send("DELETE", "custom_hostnames/fallback_origin"),
    ...down("fallback_origin"),
    isShared: true,
  },
  {
    title: "a certificate pack is deleted",
    make: ({ send }) => send("DELETE", `ssl/certificate_packs/${packId(send)}`),
    ...down(PACK),
    isShared: true,
  },
  {
    title: "a certificate pack is deleted, and one for fewer names is ordered",
    make: ({ send }) => {
      send("DELETE", `ssl/certificate_packs/${packId(send)}`);
      const order = {
        hosts: ["saas.net"],
        validation_method: "http",
        validity_days: 90,
        certificate_authority: "google",
      };
      send("POST", "ssl/certificate_packs/order", { type: "advanced", ...order });
    },
    ...down(PACK),
    isShared: true,
  },

  // Rules and places of others.
  {
    title: "a foreign rule that skips everything is put ahead of ours",
    make: ({ rules }) => rules(CUSTOM, first(SKIP_ALL)),
    ...theirs(CUSTOM),
  },
  {
    title: "a foreign rule behind ours skips the phase of our managed rules",
    make: ({ rules }) => rules(CUSTOM, last({ ...SKIP_ALL, action_parameters: { phases: [MANAGED] } })),
    ...theirs(CUSTOM),
  },
  {
    title: "a foreign rule behind ours skips the product of our rate limits",
    make: ({ rules }) => rules(CUSTOM, last({ ...SKIP_ALL, action_parameters: { products: ["rateLimit"] } })),
    ...theirs(CUSTOM),
  },
  {
    title: "a skip foreign rule, which applies to one address, moves ahead of ours",
    make: ({ rules }) => rules(CUSTOM, toFront("theirs-skip")),
    ...theirs(CUSTOM),
  },
  {
    title: "a block foreign rule ahead of ours becomes one that skips everything",
    make: ({ rules }) =>
      rules(CUSTOM, (live) =>
        toFront("theirs-block")(live).map((rule) =>
          rule["ref"] === "theirs-block" ? { ...SKIP_ALL, ref: "theirs-block" } : rule,
        ),
      ),
    ...theirs(CUSTOM),
  },
  {
    title: "a foreign rule ahead of ours challenges what ours block",
    make: ({ rules }) => rules(CUSTOM, first({ ref: "softly", action: "js_challenge", expression: "true" })),
    ...theirs(CUSTOM),
  },
  {
    title: "a foreign rule ahead of ours skips the managed ruleset",
    make: ({ rules }) => rules(MANAGED, first({ ...SKIP_ALL, action_parameters: { rulesets: [CLOUDFLARE_MANAGED] } })),
    ...theirs(MANAGED),
  },
  {
    title: "a foreign rule ahead of ours skips one managed rule",
    make: ({ rules }) =>
      rules(MANAGED, first({ ...SKIP_ALL, action_parameters: { rules: { [CLOUDFLARE_MANAGED]: [SQLI_RULE] } } })),
    ...theirs(MANAGED),
  },
  {
    title: "a foreign rule ahead of ours runs the managed ruleset so that it only logs",
    make: ({ rules }) =>
      rules(
        MANAGED,
        first({
          ref: "only-log",
          action: "execute",
          expression: "true",
          action_parameters: { id: CLOUDFLARE_MANAGED, overrides: { action: "log" } },
        }),
      ),
    ...theirs(MANAGED),
  },
  {
    title: "a foreign rule ahead of our rate limit skips it",
    make: ({ rules }) => rules(RATE, first(SKIP_ALL)),
    ...theirs(RATE),
  },
  {
    title: "an entry point that is not ours gets a rule that skips our managed rules",
    make: ({ rules, send }) => {
      send("PUT", "rulesets/phases/http_request_sbfm/entrypoint", { rules: [] });
      rules("http_request_sbfm", first({ ...SKIP_ALL, action_parameters: { phases: [MANAGED] } }));
    },
    ...theirs("http_request_sbfm"),
  },
];

/** Edits, and doings of the service, that endanger nobody. */
export const HARMLESS: readonly Edit[] = [
  {
    title: "a rule gets another description",
    make: ({ rule }) => rule(CUSTOM, "sec/block-admin", { description: "ask the web team" }),
  },
  {
    title: "a block foreign rule is added behind ours",
    make: ({ rules }) => rules(CUSTOM, last({ ref: "more", action: "block", expression: "ip.src eq 203.0.113.8" })),
  },
  {
    title: "a block foreign rule is put ahead of ours",
    make: ({ rules }) => rules(CUSTOM, first({ ref: "more", action: "block", expression: "ip.src eq 203.0.113.8" })),
  },
  {
    title: "a foreign rule that only logs is added",
    make: ({ rules }) => rules(CUSTOM, last({ ref: "look", action: "log", expression: "true" })),
  },
  {
    title: "a foreign rule gets another description",
    make: ({ rule }) => rule(CUSTOM, "theirs-skip", { description: "the monitoring of the web team" }),
  },
  {
    title: "a skip foreign rule is removed",
    make: ({ rules }) => rules(CUSTOM, removing("theirs-skip")),
  },
  {
    title: "a TLS version is raised",
    make: ({ tls }) => tls("shop.acme.net", { min_tls_version: "1.3" }),
  },
  {
    title: "weak ciphers are removed",
    make: ({ tls }) => tls("pos.cedar.net", { ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256"] }),
  },
  {
    title: "a field that the YAML does not set is changed",
    make: ({ tls }) => tls("shop.acme.net", { http2: "on" }),
  },
  {
    title: "metadata that the YAML does not set is added",
    make: ({ hostname: edit }) => edit("shop.acme.net", { custom_metadata: { note: "vip" } }),
  },
  {
    title: "a block rule matches more requests",
    make: ({ rule }) =>
      rule(CUSTOM, "sec/block-admin", {
        expression: '(starts_with(http.request.uri.path, "/admin")) or ip.src eq 203.0.113.9',
      }),
  },
  {
    title: "a skip rule matches fewer requests",
    make: ({ rule }) => rule(CUSTOM, "sec/skip-office", { expression: "ip.src in {192.0.2.1}" }),
  },
  {
    title: "a challenge becomes a block",
    make: ({ rule }) => rule(CUSTOM, "sec/challenge", { action: "block" }),
  },
  {
    title: "two blocks change places",
    make: ({ rules }) => rules(CUSTOM, toFront("sec/block-env")),
  },
  {
    title: "a rate limit allows less",
    make: ({ rule }) =>
      rule(RATE, "sec/limit-login", {
        ratelimit: {
          characteristics: ["cf.colo.id", "ip.src"],
          period: 60,
          requests_per_period: 10,
          mitigation_timeout: 600,
        },
      }),
  },
  {
    title: "the security level is raised",
    make: ({ send }) => send("PATCH", "settings/security_level", { value: "high" }),
  },
  {
    title: "the zone requires TLS 1.3",
    make: ({ send }) => send("PATCH", "settings/min_tls_version", { value: "1.3" }),
  },
  {
    title: "a setting that the YAML does not have is switched off",
    make: ({ send }) => send("PATCH", "settings/opportunistic_encryption", { value: "off" }),
  },
  {
    title: "a hostname that the YAML does not declare is created",
    make: ({ send }) =>
      send("POST", "custom_hostnames", { hostname: "new.elm.net", ssl: { method: "http", type: "dv" } }),
  },
  {
    title: "a hostname moves away by itself",
    make: ({ status }) => status("shop.acme.net", "moved"),
  },
  {
    title: "a hostname is blocked by a hold",
    make: ({ status }) => status("shop.acme.net", "blocked"),
  },
  {
    title: "certificates are renewed",
    make: ({ wait }) => wait(65 * 24 * 60 * 60 * 1000),
  },
];

function packId(send: Dashboard["send"]): string {
  const packs = send("GET", "ssl/certificate_packs");
  return text((Array.isArray(packs) ? packs : []).find((pack) => at(pack, "type") === "advanced") ?? null, "id");
}
