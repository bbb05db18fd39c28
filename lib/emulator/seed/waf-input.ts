import { type Members, wrongType } from "../input.ts";
import { ACTION_MODES, MIGRATION_STATES, SENSITIVITIES } from "../waf/record.ts";
import { present, type SeedPageRule, type SeedWaf } from "./shape.ts";

/** Reads the managed rules of a zone in a seed. */
export function readWaf(from: Members): SeedWaf {
  const waf = {
    migration: from.oneOf("migration", MIGRATION_STATES),
    enabled: from.flag("enabled"),
    owasp: readOwasp(from),
    groups: modesIn(from, "groups", isSwitch, "on or off in quotes"),
    rules: modesIn(from, "rules", isText, 'a mode as text, such as "block"'),
    uri_overrides: from.objects("uri_overrides"),
    firewall_rules: from.objects("firewall_rules"),
    page_rules: from.list("page_rules").map(readPageRule),
  };
  from.done();
  return present<SeedWaf>(waf);
}

function readOwasp(from: Members): SeedWaf["owasp"] {
  const owasp = from.below("owasp");
  if (owasp === undefined) return undefined;
  const sensitivity = owasp.oneOf("sensitivity", ["default", ...SENSITIVITIES]);
  const read = {
    sensitivity: sensitivity === "default" ? undefined : sensitivity,
    action_mode: owasp.oneOf("action_mode", ACTION_MODES),
  };
  owasp.done();
  return present(read);
}

function modesIn<T>(
  from: Members,
  name: string,
  is: (mode: unknown) => mode is T,
  wanted: string,
): Record<string, T> | undefined {
  const given = from.object(name);
  if (given === undefined) return undefined;
  const modes = Object.entries(given).flatMap(([id, mode]): [string, T][] => {
    if (is(mode)) return [[id, mode]];
    from.report(`${name}[${JSON.stringify(id)}]`, wrongType(wanted, mode));
    return [];
  });
  return Object.fromEntries(modes);
}

function readPageRule(from: Members): SeedPageRule {
  const rule = {
    url: from.requiredText("url"),
    id: from.text("id"),
    priority: from.count("priority"),
    status: from.oneOf("status", ["active", "disabled"]),
    waf: from.oneOf("waf", ["on", "off"]),
    disable_security: from.flag("disable_security"),
    actions: from.objects("actions"),
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
