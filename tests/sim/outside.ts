import { isObject, type Json, type JsonObject } from "../../lib/core/json.ts";
import type { Ledger } from "./ledger.ts";
import type { OutsideAct } from "./scenario.ts";
import type { SimService } from "./sim-service.ts";
import { trueHold, trueHostname } from "./truth.ts";
import { OWN_PREFIX, PHASE, ruleEntry } from "./wish.ts";

const DAY_MILLISECONDS = 86_400_000;
/** What the service fills into a rule, and nobody sends. */
const FILLED_IN = new Set(["version", "last_updated"]);

/** Lets the application or a person in the dashboard act. What the service refuses did not happen. */
export function actOutside(service: SimService, ledger: Ledger, act: OutsideAct): void {
  const zone = pathOfZone(service);
  const before = ledger.outsideActs;
  ledger.outsideActs += 1;
  switch (act.act) {
    case "create": {
      const answer = call(service, "POST", `${zone}/custom_hostnames`, {
        hostname: act.name,
        custom_metadata: { tier: act.tier },
      });
      const id = isObject(answer) ? answer["id"] : undefined;
      if (typeof id === "string") ledger.foreign.add(id);
      return;
    }
    case "edit": {
      const found = trueHostname(service, act.name);
      if (found)
        call(service, "PATCH", `${zone}/custom_hostnames/${found.id}`, { custom_metadata: { tier: act.tier } });
      return;
    }
    case "delete": {
      const found = trueHostname(service, act.name);
      if (found) call(service, "DELETE", `${zone}/custom_hostnames/${found.id}`);
      return;
    }
    case "add-rule":
      return editRules(service, (rules) => [...rules, ruleOf(act.name, before)]);
    case "put-in-front":
      return editRules(service, (rules) => [
        ruleOf(act.name, before),
        ...rules.filter((rule) => rule["ref"] !== foreignRef(act.name)),
      ]);
    case "edit-rule":
      return editRules(service, (rules) =>
        rules.map((rule) =>
          rule["ref"] === `${OWN_PREFIX}${act.name}`
            ? { ...rule, expression: `ip.src eq 192.0.2.${before % 200}` }
            : rule,
        ),
      );
    case "drop-rule":
      return editRules(service, (rules) => rules.filter((rule) => rule["ref"] !== `${OWN_PREFIX}${act.name}`));
    case "total-tls":
      call(service, "POST", `${zone}/acm/total_tls`, {
        enabled: act.enabled,
        certificate_authority: act.authority ?? "google",
      });
      return;
    case "setting":
      call(service, "PATCH", `${zone}/settings/${act.name}`, { value: act.value });
      return;
    case "hold":
      return hold(service, act.subdomains);
    case "release-hold":
      call(service, "DELETE", `${zone}/hold`);
      return;
    case "suspend-hold": {
      // In whole seconds, as everybody writes it.
      const until = `${new Date(service.now() + act.days * DAY_MILLISECONDS).toISOString().slice(0, 19)}Z`;
      call(service, "PATCH", `${zone}/hold`, { hold_after: until });
      return;
    }
    case "fallback":
      call(service, "PUT", `${zone}/custom_hostnames/fallback_origin`, { origin: act.origin });
      return;
    case "edit-ssl":
      return editSsl(service, act);
    case "edit-note": {
      const record = service.zone().hostnames.named(act.name);
      const custom_metadata = { ...record?.customMetadata, note: act.note };
      if (record) call(service, "PATCH", `${zone}/custom_hostnames/${record.id}`, { custom_metadata });
      return;
    }
    case "describe":
      return editRules(service, (rules) => rules, act.text);
    case "edit-foreign-rule":
      return editRules(service, (rules) =>
        rules.map((rule) => (rule["ref"] === foreignRef(act.name) ? { ...rule, ...pathOf(act) } : rule)),
      );
    case "drop-foreign-rule":
      return editRules(service, (rules) => rules.filter((rule) => rule["ref"] !== foreignRef(act.name)));
    case "waf-deploy":
      service.admin.waf.deploy(service.id);
      return;
    case "waf-override":
      call(service, "POST", `${zone}/firewall/waf/overrides`, {
        urls: [`saas.net/${before}`],
        rules: { "100015": "disable" },
        groups: {},
        priority: 1,
      });
      return;
    default:
      return act satisfies never;
  }
}

/** Sets the hold; if it is set already, changes only its names below the zone. */
function hold(service: SimService, subdomains: boolean): void {
  const path = `${pathOfZone(service)}/hold`;
  if (trueHold(service).hold) call(service, "PATCH", path, { include_subdomains: subdomains });
  else service.admin.dashboard("POST", `${path}?include_subdomains=${String(subdomains)}`);
}

/**
 * The service takes `ssl` as one unit, with all of its settings. A hostname with an owner's own certificate would lose
 * that.
 */
function editSsl(service: SimService, { name, setting, value }: OutsideAct & { readonly act: "edit-ssl" }): void {
  const record = service.zone().hostnames.named(name);
  if (!record?.ssl || record.ssl.uploaded) return;
  const zone = pathOfZone(service);
  const settings = { ...record.ssl.settings, [setting]: value };
  call(service, "PATCH", `${zone}/custom_hostnames/${record.id}`, {
    ssl: { method: record.ssl.method, type: "dv", settings },
  });
}

function pathOfZone({ id }: SimService): string {
  return `/zones/${id}`;
}

function foreignRef(name: string): string {
  return `theirs/${name}`;
}

function pathOf({ name, path }: { readonly name: string; readonly path: string }): JsonObject {
  return { expression: ruleEntry({ name, path })["expression"] ?? "" };
}

function ruleOf(name: string, number: number): JsonObject {
  return { ...ruleEntry({ name, path: `/foreign/${number}` }), ref: foreignRef(name) };
}

function editRules(
  service: SimService,
  edit: (rules: readonly JsonObject[]) => readonly JsonObject[],
  description?: string,
): void {
  const entryPoint = `${pathOfZone(service)}/rulesets/phases/${PHASE}/entrypoint`;
  const found = call(service, "GET", entryPoint);
  if (description !== undefined && !isObject(found)) return;
  const rules = isObject(found) && Array.isArray(found["rules"]) ? found["rules"].filter(isObject) : [];
  const sent = edit(rules.map(withoutFilledIn));
  const byRef = new Map(sent.map((rule) => [rule["ref"], rule]));
  const kept = isObject(found) ? (found["description"] ?? "") : "";
  call(service, "PUT", entryPoint, { description: description ?? kept, rules: [...byRef.values()] });
}

function withoutFilledIn(rule: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !FILLED_IN.has(name)));
}

function call(service: SimService, method: string, path: string, body?: JsonObject): Json | undefined {
  const copy = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const answer = service.admin.dashboard(method, path, copy);
  const parsed: unknown = answer.body === "" ? undefined : JSON.parse(answer.body);
  return isObject(parsed) ? parsed["result"] : undefined;
}
