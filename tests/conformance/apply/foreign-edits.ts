import { at, type Json, text } from "../../support/emulator.ts";
import { type Rig, ZONE } from "../../support/engine.ts";

const PATH = `/zones/${ZONE.id}`;
const HOSTNAMES = `${PATH}/custom_hostnames`;
const FALLBACK_ORIGIN = `${HOSTNAMES}/fallback_origin`;
const ENTRY_POINT = `${PATH}/rulesets/phases/http_request_firewall_managed/entrypoint`;

/** Something that somebody does in the dashboard while a plan is made or applied. */
export interface ForeignEdit {
  readonly what: string;
  /** Does it, and returns the object's path in the service; undefined if there is nothing to edit any more. */
  readonly act: (rig: Rig) => string | undefined;
  /** Whether the edit is still live. */
  readonly isLive: (rig: Rig) => boolean;
  /** Nobody declares what was edited: a plan must keep it, seen or not, unless it deletes the whole object. */
  readonly isUnowned?: true;
  /** The hostname that it concerns, if any. */
  readonly hostname?: string;
}

/** A rule, or a part of one, as tests write it. */
export type Rule = { readonly [key: string]: Json };

/** A rule of these tests without its ref and its expression. */
export const MANAGED: Rule = { action: "execute", action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" } };

/** A rule that somebody made before Zoneform came. */
export const THEIRS: Rule = { ...MANAGED, ref: "theirs", expression: "true", enabled: true };

/** What somebody may do to the zone of `interleavings.test.ts`. */
export const FOREIGN_EDITS: readonly ForeignEdit[] = [
  {
    what: "a rule is added",
    act: (rig) => putRules(rig, [...rulesOf(rig), { ...THEIRS, ref: "theirs-too" }]),
    isLive: (rig) => hasRule(rig, { ref: "theirs-too" }),
    isUnowned: true,
  },
  {
    what: "a rule is added in front",
    act: (rig) => putRules(rig, [{ ...THEIRS, ref: "theirs-first" }, ...rulesOf(rig)]),
    isLive: (rig) => hasRule(rig, { ref: "theirs-first" }),
    isUnowned: true,
  },
  {
    what: "their rule is edited",
    act: (rig) => editRule(rig, "theirs", { expression: 'http.host eq "edited.org"' }),
    isLive: (rig) => hasRule(rig, { ref: "theirs", expression: 'http.host eq "edited.org"' }),
    isUnowned: true,
  },
  {
    what: "their rule is switched off",
    act: (rig) => editRule(rig, "theirs", { enabled: false }),
    isLive: (rig) => hasRule(rig, { ref: "theirs", enabled: false }),
    isUnowned: true,
  },
  {
    what: "their rule is removed",
    act: (rig) =>
      putRules(
        rig,
        rulesOf(rig).filter(({ ref }) => ref !== "theirs"),
      ),
    isLive: (rig) => !hasRule(rig, { ref: "theirs" }),
    isUnowned: true,
  },
  {
    what: "a rule of ours is switched off",
    act: (rig) => editRule(rig, "ours/first", { enabled: false }),
    isLive: (rig) => hasRule(rig, { ref: "ours/first", enabled: false }),
  },
  {
    what: "a rule of ours is removed",
    act: (rig) =>
      putRules(
        rig,
        rulesOf(rig).filter(({ ref }) => ref !== "ours/second"),
      ),
    isLive: (rig) => !hasRule(rig, { ref: "ours/second" }),
  },
  ...["edited.net", "dropped.net", "same.net"].flatMap((name) =>
    editsOf(name).map((edit) => ({ ...edit, hostname: name })),
  ),
  ...["new.net", "unheard-of.net"].map((name): ForeignEdit => ({
    what: `${name} is created`,
    act: (rig) => {
      if (hostnameOf(rig, name) !== null) return undefined;
      dashboard(rig, "POST", HOSTNAMES, {
        hostname: name,
        custom_metadata: { by: "them" },
        ssl: { type: "dv", method: "http" },
      });
      return pathOf(rig, name);
    },
    isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.by") === "them",
    isUnowned: true,
  })),
  {
    what: "the fallback origin is changed",
    act: (rig) => {
      dashboard(rig, "PUT", FALLBACK_ORIGIN, { origin: "origin2.saas.net" });
      return FALLBACK_ORIGIN;
    },
    isLive: (rig) => at(dashboard(rig, "GET", FALLBACK_ORIGIN), "origin") === "origin2.saas.net",
  },
];

/** What somebody may do to a hostname. */
function editsOf(name: string): readonly ForeignEdit[] {
  return [
    {
      what: `a managed field of ${name} is edited`,
      act: (rig) => editHostname(rig, name, { custom_metadata: { tier: "theirs" } }),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.tier") === "theirs",
    },
    {
      what: `a setting of ${name} is edited`,
      act: (rig) => editSettings(rig, name, { min_tls_version: "1.1" }),
      isLive: (rig) => at(hostnameOf(rig, name), "ssl.settings.min_tls_version") === "1.1",
    },
    {
      what: `a setting of ${name} that nobody owns is edited`,
      act: (rig) => editSettings(rig, name, { http2: "off" }),
      isLive: (rig) => at(hostnameOf(rig, name), "ssl.settings.http2") === "off",
      isUnowned: true,
    },
    {
      what: `metadata of ${name} that nobody owns is added`,
      act: (rig) => editHostname(rig, name, { custom_metadata: { ...metadataOf(rig, name), by: "them" } }),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_metadata.by") === "them",
      isUnowned: true,
    },
    {
      what: `the origin of ${name}, which nobody owns, is set`,
      act: (rig) => editHostname(rig, name, { custom_origin_server: "origin1.saas.net" }),
      isLive: (rig) => at(hostnameOf(rig, name), "custom_origin_server") === "origin1.saas.net",
      isUnowned: true,
    },
    {
      what: `${name} is deleted`,
      act: (rig) => {
        const path = pathOf(rig, name);
        if (path !== undefined) dashboard(rig, "DELETE", path);
        return path;
      },
      isLive: (rig) => hostnameOf(rig, name) === null,
    },
  ];
}

/** Whether a GET of the path shows the object: by itself, or in the list of its kind. */
export function shows(path: string, object: string): boolean {
  return path === object || (path === HOSTNAMES && object.startsWith(`${HOSTNAMES}/`) && object !== FALLBACK_ORIGIN);
}

/** Whether the path is the entry point's, which has versions. */
export function isEntryPoint(path: string): boolean {
  return path === ENTRY_POINT;
}

/** A call of the API as the dashboard makes it; returns its result, and throws if the service refuses. */
export function dashboard(rig: Rig, method: string, path: string, body?: Json): Json {
  const answer = rig.admin.dashboard(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`);
  return answer.body === "" ? null : (at(JSON.parse(answer.body), "result") ?? null);
}

/** The live hostname with that name; null if there is none. */
export function hostnameOf(rig: Rig, name: string): Json {
  return at(dashboard(rig, "GET", `${HOSTNAMES}?hostname=${name}`), "0") ?? null;
}

/** The path of the live hostname with that name. */
export function pathOf(rig: Rig, name: string): string | undefined {
  const found = hostnameOf(rig, name);
  return found === null ? undefined : `${HOSTNAMES}/${text(found, "id")}`;
}

function metadataOf(rig: Rig, name: string): Rule {
  return members(at(hostnameOf(rig, name), "custom_metadata"));
}

/** Edits a hostname; returns its path, or undefined if it is not live. */
export function editHostname(rig: Rig, name: string, body: Json): string | undefined {
  const path = pathOf(rig, name);
  if (path !== undefined) dashboard(rig, "PATCH", path, body);
  return path;
}

/** Edits settings of a hostname's `ssl`, and keeps the others. */
export function editSettings(rig: Rig, name: string, settings: Rule): string | undefined {
  const before = members(at(hostnameOf(rig, name), "ssl.settings"));
  return editHostname(rig, name, { ssl: { type: "dv", method: "http", settings: { ...before, ...settings } } });
}

/** The live rules as a PUT takes them. */
export function rulesOf(rig: Rig, path: string = ENTRY_POINT): readonly Rule[] {
  const rules = at(dashboard(rig, "GET", path), "rules");
  return (Array.isArray(rules) ? rules : []).map((rule) => {
    const { id: _id, version: _version, last_updated: _updated, ...rest } = members(rule);
    return rest;
  });
}

function hasRule(rig: Rig, parts: Rule): boolean {
  return rulesOf(rig).some((rule) => Object.entries(parts).every(([name, value]) => rule[name] === value));
}

function editRule(rig: Rig, ref: string, parts: Rule): string {
  return putRules(
    rig,
    rulesOf(rig).map((rule) => (rule["ref"] === ref ? { ...rule, ...parts } : rule)),
  );
}

function putRules(rig: Rig, rules: readonly Rule[]): string {
  dashboard(rig, "PUT", ENTRY_POINT, { rules: rules.map((rule) => ({ ...rule })) });
  return ENTRY_POINT;
}

/** The value if it is an object; else an empty object. */
export function members(value: Json | undefined): Rule {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
