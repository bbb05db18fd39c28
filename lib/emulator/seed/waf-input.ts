import { InputError, members } from "../input.ts";
import type { JsonObject } from "../json.ts";
import { ACTION_MODES, MIGRATION_STATES, SENSITIVITIES } from "../waf/record.ts";
import { present, type SeedPageRule, type SeedWaf } from "./shape.ts";

type Members = ReturnType<typeof members>;

/** Checks the managed rules of a zone in a seed. Throws an InputError that says where it is wrong. */
export function readWaf(value: JsonObject, at: string): SeedWaf {
  const from = members(value, at);
  const waf = {
    migration: from.oneOf("migration", MIGRATION_STATES),
    enabled: from.flag("enabled"),
    owasp: readOwasp(from),
    groups: modesIn(from, "groups", isSwitch),
    rules: modesIn(from, "rules", isText),
    uri_overrides: from.list("uri_overrides").map((entry) => entry.value),
    firewall_rules: from.list("firewall_rules").map((entry) => entry.value),
    page_rules: from.list("page_rules").map((entry) => readPageRule(entry.value, entry.at)),
  };
  from.done();
  return present<SeedWaf>(waf);
}

function readOwasp(from: Members): SeedWaf["owasp"] {
  const value = from.object("owasp");
  if (value === undefined) return undefined;
  const owasp = members(value, `${from.at}.owasp`);
  const sensitivity = owasp.oneOf("sensitivity", ["default", ...SENSITIVITIES]);
  const read = {
    sensitivity: sensitivity === "default" ? undefined : sensitivity,
    action_mode: owasp.oneOf("action_mode", ACTION_MODES),
  };
  owasp.done();
  return present(read);
}

function modesIn<T>(from: Members, name: string, is: (mode: unknown) => mode is T): Record<string, T> | undefined {
  const value = from.object(name);
  if (value === undefined) return undefined;
  const modes = Object.entries(value).map(([id, mode]): [string, T] => {
    if (!is(mode)) throw new InputError(`${from.at}.${name}[${JSON.stringify(id)}]`, "is no mode");
    return [id, mode];
  });
  return Object.fromEntries(modes);
}

function readPageRule(value: JsonObject, at: string): SeedPageRule {
  const from = members(value, at);
  const rule = {
    url: from.requiredText("url"),
    id: from.text("id"),
    priority: from.amount("priority"),
    status: from.oneOf("status", ["active", "disabled"]),
    waf: from.oneOf("waf", ["on", "off"]),
    disable_security: from.flag("disable_security"),
    actions: from.list("actions").map((entry) => entry.value),
  };
  from.done();
  return present<SeedPageRule>(rule);
}

function isSwitch(mode: unknown): mode is "on" | "off" {
  return mode === "on" || mode === "off";
}

function isText(mode: unknown): mode is string {
  return typeof mode === "string";
}
