import { evaluate } from "../rules-language/evaluate/evaluate.ts";
import { requestOf } from "../rules-language/evaluate/request.ts";
import type { Request } from "../rules-language/evaluate/values.ts";
import { parse } from "../rules-language/parser.ts";
import type { Core } from "./core.ts";
import type { CustomHostname } from "./custom-hostnames/custom-hostname.ts";
import { asText, isObject, type JsonObject } from "./json.ts";
import { isInListOf } from "./rules-lists.ts";
import { entryPoint } from "./rulesets/find.ts";
import { currentVersion, type Rule, type Ruleset } from "./rulesets/ruleset.ts";
import type { Zone } from "./store.ts";

/** What a visitor sends. */
export interface Visitor {
  /** `GET` when absent. */
  readonly method?: string;
  /** The client's address; `203.0.113.1` when absent. */
  readonly address?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** The rule that stops a request, and what the visitor gets. */
export interface StoppedBy {
  readonly rulesetId: string;
  readonly rule: Rule;
  readonly status: number;
  readonly body: string;
}

/** The phase whose rules the edge runs. */
const PHASE = "http_request_firewall_custom";

/** What the actions that stop a request show. */
const PAGES: Readonly<Record<string, string>> = {
  block: "Sorry, you have been blocked",
  challenge: "Verify you are human",
  js_challenge: "Just a moment...",
  managed_challenge: "Just a moment...",
};

/** How deep execute rules may be nested. */
const DEPTH = 4;

/**
 * Runs the custom rules for a request: first those of the account, then those of the zone, with the rulesets that they execute
 * (docs/service.md#rules). Managed rules and rate limits do not run here. Undefined if no rule stops the request.
 */
export function stoppedBy(
  core: Core,
  zone: Zone,
  host: string,
  path: string,
  visitor: Visitor,
  custom?: CustomHostname,
): StoppedBy | undefined {
  const account = core.store.accounts.get(zone.accountId);
  const request = requestOf({
    url: `https://${host}${path}`,
    method: visitor.method ?? "GET",
    address: visitor.address ?? "203.0.113.1",
    headers: visitor.headers ?? [],
    time: core.clock.now(),
    fields: new Map([
      ["cf.zone.name", zone.name],
      ["cf.zone.plan", PLANS[zone.plan]],
      ["cf.hostname.metadata", JSON.stringify(custom?.customMetadata ?? {})],
    ]),
    ...(account === undefined ? {} : { isInList: isInListOf(account, core.clock.now()) }),
  });
  const known = new Map([...(account?.rulesets ?? []), ...zone.rulesets]);
  for (const entryKind of ["root", "zone"] as const) {
    const entry = entryPoint({ rulesets: known, entryKind }, PHASE);
    const found = entry === undefined ? undefined : new Run(request, known).ruleset(entry, DEPTH);
    if (found !== undefined) return found;
  }
  return undefined;
}

const PLANS: Readonly<Record<Zone["plan"], string>> = { free: "FREE", pro: "PRO", business: "BIZ", enterprise: "ENT" };

/** One run of an entry point, with what its skip rules have skipped so far. */
class Run {
  readonly #request: Request;
  readonly #known: ReadonlyMap<string, Ruleset>;
  readonly #skipped = new Set<string>();
  #isOver = false;

  constructor(request: Request, known: ReadonlyMap<string, Ruleset>) {
    this.#request = request;
    this.#known = known;
  }

  /** Runs the rules of a ruleset in their order, until one stops the request or skips the rest. */
  ruleset(ruleset: Ruleset, depth: number): StoppedBy | undefined {
    for (const rule of currentVersion(ruleset).rules) {
      if (this.#isOver || !this.#matches(rule)) continue;
      const action = asText(rule["action"]);
      const parameters = isObject(rule["action_parameters"]) ? rule["action_parameters"] : {};
      const page = PAGES[action];
      if (page !== undefined) return stop(ruleset, rule, parameters, page);
      if (action === "skip" && this.#skip(parameters)) return undefined;
      const executed = action === "execute" ? this.#known.get(asText(parameters["id"])) : undefined;
      if (executed === undefined || depth === 0 || this.#skipped.has(executed.id)) continue;
      const found = this.ruleset(executed, depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #matches(rule: Rule): boolean {
    if (rule["enabled"] === false || this.#skipped.has(asText(rule["id"]))) return false;
    const { expression } = parse(asText(rule["expression"]), { unknownNames: "allow" });
    return expression !== undefined && evaluate(expression, this.#request);
  }

  /** Remembers what a rule skips. True if that is the rest of its ruleset. */
  #skip({ ruleset, rulesets, rules, phase }: JsonObject): boolean {
    if (phase === "current") this.#isOver = true;
    const named = isObject(rules) ? Object.values(rules) : [];
    for (const ids of [rulesets ?? [], ...named])
      if (Array.isArray(ids)) for (const id of ids) this.#skipped.add(asText(id));
    return ruleset === "current" || this.#isOver;
  }
}

function stop(ruleset: Ruleset, rule: Rule, parameters: JsonObject, page: string): StoppedBy {
  const response = isObject(parameters["response"]) ? parameters["response"] : {};
  const { status_code: status, content } = response;
  return {
    rulesetId: ruleset.id,
    rule,
    status: typeof status === "number" ? status : 403,
    body: typeof content === "string" ? content : page,
  };
}
