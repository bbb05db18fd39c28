import type { Random } from "../../lib/core/clock.ts";
import { at, type Json } from "../support/emulator.ts";
import { type Rig, ZONE } from "../support/engine.ts";
import {
  dashboard,
  editHostname,
  editSettings,
  hostnameOf,
  members,
  pathOf,
  type Rule,
} from "../conformance/apply/foreign-edits.ts";

const PATH = `/zones/${ZONE.id}`;
const HOSTNAMES = `${PATH}/custom_hostnames`;
const FALLBACK_ORIGIN = `${HOSTNAMES}/fallback_origin`;
const TOTAL_TLS = `${PATH}/acm/total_tls`;
const CIPHERS = ["ECDHE-ECDSA-AES128-GCM-SHA256"];

/** The phases whose entry points a round manages. */
export const PHASES = ["http_request_firewall_managed", "http_request_firewall_custom"] as const;

/** Something that somebody does to one object in the dashboard. */
export interface ForeignEdit {
  readonly what: string;
  /** The address of the object in the plan. */
  readonly address: string;
  /** Does it, and gives the path of the object; undefined where there is nothing to edit any more. */
  readonly act: (rig: Rig) => string | undefined;
  readonly isLive: (rig: Rig) => boolean;
  /** Nobody declares what was edited: no plan may take it away, but one that deletes the whole object. */
  readonly isUnowned: boolean;
}

/** One edit of each of these objects, drawn at random. Objects are a hostname, an entry point or a setting. */
export function drawEdits(random: Random, names: readonly string[], newNames: readonly string[]): ForeignEdit[] {
  return [
    ...names.map((name) => drawn(random, hostnameEdits(name))),
    ...newNames.map(creation),
    ...PHASES.map((phase) => drawn(random, ruleEdits(phase))),
    drawn(random, SETTINGS),
  ];
}

/** One of them. */
export function drawn<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[Math.floor(random.fraction() * choices.length)];
  if (choice === undefined) throw new Error("there is something to choose from");
  return choice;
}

/** Where the entry point of a phase is. */
export function entryPointOf(phase: string): string {
  return `${PATH}/rulesets/phases/${phase}/entrypoint`;
}

/** Whether the service counts the versions of what is at that path, so that a write that replaced one can say so. */
export function hasVersions(path: string): boolean {
  return path.endsWith("/entrypoint");
}

/** Whether a GET of that path shows the object at the other one: by itself, or in the list of its kind. */
export function shows(path: string, object: string): boolean {
  const isHostname = object.startsWith(`${HOSTNAMES}/`) && object !== FALLBACK_ORIGIN;
  return path === object || (path === HOSTNAMES && isHostname);
}

function hostnameEdits(name: string): readonly ForeignEdit[] {
  const address = `custom_hostname["${name}"]`;
  const metadata = (more: Rule): Rule => ({ custom_metadata: more });
  const withMore = (rig: Rig, more: Rule): Rule => ({
    ...members(at(hostnameOf(rig, name), "custom_metadata")),
    ...more,
  });
  return [
    {
      what: `tier of ${name}`,
      address,
      act: (rig) => editHostname(rig, name, metadata(withMore(rig, { tier: "theirs" }))),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.tier") === "theirs",
      isUnowned: false,
    },
    {
      what: `minimum TLS of ${name}`,
      address,
      act: (rig) => editSettings(rig, name, { min_tls_version: "1.1" }),
      isLive: (rig) => at(hostnameOf(rig, name), "ssl.settings.min_tls_version") === "1.1",
      isUnowned: false,
    },
    {
      what: `ciphers of ${name}`,
      address,
      act: (rig) => editSettings(rig, name, { ciphers: CIPHERS }),
      isLive: (rig) => isSame(at(hostnameOf(rig, name), "ssl.settings.ciphers"), CIPHERS),
      isUnowned: true,
    },
    {
      what: `metadata of ${name} beside ours`,
      address,
      act: (rig) => editHostname(rig, name, metadata(withMore(rig, { by: "them" }))),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.by") === "them",
      isUnowned: true,
    },
    {
      what: `origin of ${name}`,
      address,
      act: (rig) => editHostname(rig, name, { custom_origin_server: "origin1.saas.net" }),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_origin_server") === "origin1.saas.net",
      isUnowned: true,
    },
  ];
}

function creation(name: string): ForeignEdit {
  return {
    what: `${name} is created`,
    address: `custom_hostname["${name}"]`,
    act: (rig) => {
      if (hostnameOf(rig, name) !== null) return undefined;
      const ssl = { type: "dv", method: "http" };
      dashboard(rig, "POST", HOSTNAMES, { hostname: name, custom_metadata: { by: "them" }, ssl });
      return pathOf(rig, name);
    },
    isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.by") === "them",
    isUnowned: true,
  };
}

function ruleEdits(phase: string): readonly ForeignEdit[] {
  const address = `ruleset["${phase}"]`;
  const path = entryPointOf(phase);
  const rules = (rig: Rig): readonly Rule[] => rulesOf(rig, path);
  const put = (rig: Rig, next: readonly Rule[]): string => {
    dashboard(rig, "PUT", path, { rules: next.map((rule) => ({ ...rule })) });
    return path;
  };
  const has = (rig: Rig, parts: Rule): boolean =>
    rules(rig).some((rule) => Object.entries(parts).every(([name, value]) => rule[name] === value));
  const ownRule = (rig: Rig): Rule => ({ ...rules(rig)[0], ref: "theirs-too", enabled: true });
  return [
    {
      what: `a rule added to ${phase}`,
      address,
      act: (rig) => put(rig, [...rules(rig), ownRule(rig)]),
      isLive: (rig) => has(rig, { ref: "theirs-too" }),
      isUnowned: true,
    },
    {
      what: `a rule added in front of ${phase}`,
      address,
      act: (rig) => put(rig, [ownRule(rig), ...rules(rig)]),
      isLive: (rig) => has(rig, { ref: "theirs-too" }),
      isUnowned: true,
    },
    ...["theirs", "ours/first"].map((ref): ForeignEdit => ({
      what: `${ref} of ${phase} switched off`,
      address,
      act: (rig) =>
        put(
          rig,
          rules(rig).map((rule) => (rule["ref"] === ref ? { ...rule, enabled: false } : rule)),
        ),
      isLive: (rig) => has(rig, { ref, enabled: false }),
      isUnowned: ref === "theirs",
    })),
    {
      what: `a rule of ours taken out of ${phase}`,
      address,
      act: (rig) =>
        put(
          rig,
          rules(rig).filter(({ ref }) => ref !== "ours/second"),
        ),
      isLive: (rig) => !has(rig, { ref: "ours/second" }),
      isUnowned: false,
    },
  ];
}

const SETTINGS: readonly ForeignEdit[] = [
  {
    what: "fallback origin",
    address: "fallback_origin",
    act: (rig) => {
      dashboard(rig, "PUT", FALLBACK_ORIGIN, { origin: "origin2.saas.net" });
      return FALLBACK_ORIGIN;
    },
    isLive: (rig) => at(dashboard(rig, "GET", FALLBACK_ORIGIN), "origin") === "origin2.saas.net",
    isUnowned: false,
  },
  {
    what: "CA of Total TLS",
    address: "total_tls",
    act: (rig) => {
      const enabled = at(dashboard(rig, "GET", TOTAL_TLS), "enabled") ?? null;
      // The service refuses while it carries out an earlier change.
      const answer = rig.admin.dashboard("POST", TOTAL_TLS, { enabled, certificate_authority: "lets_encrypt" });
      return answer.status === 200 ? TOTAL_TLS : undefined;
    },
    isLive: (rig) => at(dashboard(rig, "GET", TOTAL_TLS), "certificate_authority") === "lets_encrypt",
    isUnowned: true,
  },
];

/** The rules of an entry point as a PUT takes them. */
function rulesOf(rig: Rig, path: string): readonly Rule[] {
  const rules = at(dashboard(rig, "GET", path), "rules");
  return (Array.isArray(rules) ? rules : []).map((rule) => {
    const { id: _id, version: _version, last_updated: _updated, ...rest } = members(rule);
    return rest;
  });
}

function isSame(left: Json | undefined, right: Json): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
