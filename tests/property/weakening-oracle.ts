import { objects, optionalNumber, optionalObject, optionalText, texts } from "../../lib/core/decode.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import * as world from "./weakening-world.ts";

/** Whether some request is blocked less than before, skips a phase that it did not skip, or meets weaker checks. */
export function letsMoreIn(from: readonly JsonObject[], to: readonly JsonObject[]): boolean {
  return world.REQUESTS.some((request) => {
    const [before, after] = [chooseRemoval(request, from), chooseRemoval(request, to)];
    return before.some((one, index) => (after[index] ?? 0) < one);
  });
}

/**
 * How strongly a request is blocked (2: for good), whether later phases see it, its security level, how soon attacks
 * count.
 */
function chooseRemoval(request: world.Request, rules: readonly JsonObject[]): readonly number[] {
  let [stop, isSeen, level, reaction] = [0, 1, request.zone, ""];
  for (const rule of rules) {
    const isMatching = world.MEANINGS[optionalText(rule, "expression") ?? ""]?.(request) === true;
    if (rule["enabled"] === false || !isMatching || !isOver(request, optionalObject(rule, "ratelimit"))) continue;
    const parameters = optionalObject(rule, "action_parameters") ?? {};
    const overrides = optionalObject(parameters, "overrides") ?? {};
    const { enabled = request.isOn, action = request.managed } = objects(overrides, "rules")[0] ?? {};
    const done = rule["action"] === "execute" && !overrides["sensitivity_level"] ? enabled && action : rule["action"];
    level = optionalText(parameters, "security_level") ?? level;
    reaction ||= optionalText(overrides, "sensitivity_level") ?? "";
    if (texts(parameters, "phases").length > 0) isSeen = 0;
    if (done === "block") return [2, 1, Infinity, Infinity];
    if (done === "managed_challenge") stop = 1;
    if (stop > 0 || parameters["ruleset"] === "current") break;
  }
  return [stop, isSeen, world.LEVELS.indexOf(level), world.REACTIONS.indexOf(reaction || "default")];
}

function isOver({ rate, calm }: world.Request, limit: JsonObject = { requests_per_period: -1 }): boolean {
  const number = (field: string): number => optionalNumber(limit, field) ?? calm;
  return rate * number("period") > number("requests_per_period") && calm <= number("mitigation_timeout");
}

/** Whether some client gets an older version or a worse cipher than before, or connects although it is below all others. */
export function servesWorse(from: JsonObject, to: JsonObject): boolean {
  return world.ZONES.some((zone) => {
    const all = world.CLIENTS.flatMap((client) => connect(client, from, zone) ?? []);
    const [version, good] = [all.map((one) => one.version), all.map((one) => one.good)];
    const least = { version: Math.min(3, ...version), good: Math.min(3, ...good) };
    return world.CLIENTS.some((client) => {
      const [before = least, after = before] = [from, to].map((settings) => connect(client, settings, zone));
      return after.version < before.version || after.good < before.good;
    });
  });
}

/** What a client gets: its version, and with TLS 1.2 and older the list's first cipher that it supports. */
function connect(client: world.Client, settings: JsonObject, zone: world.Zone): world.Connection | undefined {
  const least = world.VERSIONS.indexOf(optionalText(settings, "min_tls_version") || zone.least);
  const version = client.version === 3 && (settings["tls_1_3"] ?? zone.best) !== "on" ? 2 : client.version;
  const listed = texts(settings, "ciphers");
  const cipher = (listed.length > 0 ? listed : [...world.CIPHERS.keys()]).find((one) => client.ciphers.includes(one));
  const good = version === 3 ? 3 : world.CIPHERS.get(cipher ?? "");
  return version < least || good === undefined ? undefined : { version, good };
}
