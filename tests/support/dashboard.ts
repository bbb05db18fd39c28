import { at, type Json, text } from "./emulator.ts";
import { DEV, ENTRY_POINT, type World } from "./project.ts";

/** A JSON object. */
export type Members = { [key: string]: Json };

/** The members of a rule that the service fills in. A PUT of a ruleset must not contain them. */
const FILLED_IN = ["id", "version", "last_updated"];

/** How long it takes until a certificate is deployed again after an edit, on the emulator's clock. */
const DEPLOYED_MILLISECONDS = 600_000;

/**
 * Edits a hostname of the first zone in the dashboard, and advances the clock until its certificate is deployed again, because
 * until then differences are held.
 */
export function editHostname({ dashboard, hostname, emulator }: World, name: string, body: Members): void {
  dashboard(DEV, "PATCH", `custom_hostnames/${text(hostname(DEV, name), "id")}`, body);
  emulator.advance(DEPLOYED_MILLISECONDS);
}

/** Edits the minimum TLS version of a hostname, and keeps its other settings. */
export function editTls(world: World, name: string, version: string): void {
  const settings = { ...members(at(world.hostname(DEV, name), "ssl.settings")), min_tls_version: version };
  editHostname(world, name, { ssl: { type: "dv", method: "http", settings } });
}

/** Edits the rules of an entry point of the first zone in the dashboard. */
export function editRules(world: World, edit: (rules: Members[]) => Members[], path: string = ENTRY_POINT): void {
  const rules = liveRules(world, path).map((rule) => {
    return Object.fromEntries(Object.entries(rule).filter(([name]) => !FILLED_IN.includes(name)));
  });
  world.dashboard(DEV, "PUT", path, { rules: edit(rules) });
}

/** The rules of that entry point, in their order. */
export function liveRules({ dashboard }: World, path: string = ENTRY_POINT): Members[] {
  const rules = at(dashboard(DEV, "GET", path), "rules");
  return (Array.isArray(rules) ? rules : []).map(members);
}

/** The refs of these rules, in their order. */
export function liveRefs(world: World, path?: string): string[] {
  return liveRules(world, path).map((rule) => text(rule, "ref"));
}

function members(value: Json | undefined): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
