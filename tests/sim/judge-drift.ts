import { EXIT } from "../../lib/core/exit-code.ts";
import { isObject, type JsonObject, valueAt } from "../../lib/core/json.ts";
import { driftExit } from "../../lib/engine/exit.ts";
import type { StateObject } from "../../lib/state/state.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { trueHold, trueHostname, trueHostnames, truePacks, trueRules, trueSetting } from "./truth.ts";
import { ruleEntry, type Wish } from "./wish.ts";

/**
 * A look for drift never says that nothing drifted while an object that we own is gone, or differs in an owned value
 * both from what was applied and from the YAML (invariant 22). Only for a job during which nobody else acts.
 */
export function judgeDrift(stage: Stage, { drift, party, actsBefore }: RunEnd, wish: Wish): void {
  const { ledger, service } = stage;
  const zone = drift?.zones.find(({ section }) => section.zone.id === service.id);
  if (!zone || driftExit(zone.judgement) !== EXIT.done) return;
  if (party.sawStale || ledger.outsideActs !== actsBefore) return;
  for (const object of party.before?.objects.values() ?? []) {
    if (object.pending || object.unanswered) continue;
    for (const difference of differencesOf(stage, object, wish))
      ledger.blame("I22", `drift says that nothing drifted, and ${difference}`);
  }
}

/** How a tracked object that the YAML declares differs live from both. */
function differencesOf(stage: Stage, object: StateObject, wish: Wish): readonly string[] {
  const { kind, key, applied } = object;
  const { fallbackOrigin, totalTls } = stage.service.zone();
  const leaf: Leaf = (path, wished, live) => {
    const last = valueAt(applied, path.split("."));
    if (last === undefined || wished === undefined || live === last || live === wished) return [];
    return [`${path} of ${kind} ${key} is ${String(live)}, applied was ${JSON.stringify(last)}, declared ${wished}`];
  };
  switch (kind) {
    case "custom_hostname":
      return hostnameDifferences(stage, object, wish, leaf);
    case "ruleset":
      return ruleDifferences(stage, applied, wish);
    case "certificate_pack": {
      const isGone = wish.packs.has(key) && !truePacks(stage.service).some(({ id }) => id === object.id);
      return isGone ? [`the pack of ${key} is gone`] : [];
    }
    case "fallback_origin":
      return leaf("origin", wish.fallback, fallbackOrigin?.origin);
    case "total_tls":
      return leaf("enabled", wish.totalTls?.enabled, totalTls.enabled);
    case "zone_hold":
      return leaf("hold", wish.hold?.hold, trueHold(stage.service).hold);
    case "zone_setting":
      return leaf("value", wish.settings.get(key), trueSetting(stage.service, key));
    default:
      return [];
  }
}

type Value = string | boolean | undefined;
type Leaf = (path: string, wished: Value, live: Value) => readonly string[];

function hostnameDifferences(
  { service }: Stage,
  { id, key, undeclared }: StateObject,
  wish: Wish,
  leaf: Leaf,
): readonly string[] {
  const wished = wish.hostnames.get(key);
  if (!wished || undeclared || wish.lifecycle !== "zoneform") return [];
  const live = trueHostname(service, id);
  if (!live) return trueHostnames(service).some(({ name }) => name === key) ? [] : [`hostname ${key} is gone`];
  return [
    ...leaf("custom_origin_server", wished.origin, live.origin),
    ...leaf("custom_metadata.tier", wished.tier, live.tier),
    ...(wished.tls === "none" ? [] : leaf("ssl.settings.min_tls_version", wished.tls, live.tls)),
  ];
}

/** Our rules that are gone, and those with another expression. */
function ruleDifferences({ service }: Stage, applied: JsonObject, wish: Wish): readonly string[] {
  const live = new Map((trueRules(service) ?? []).map(({ ref, expression }) => [ref, expression]));
  const wished = new Map((wish.rules ?? []).map(ruleEntry).map((rule) => [rule["ref"], rule["expression"]]));
  const rules = Array.isArray(applied["rules"]) ? applied["rules"].filter(isObject) : [];
  return rules.flatMap(({ ref, expression }) => {
    const now = typeof ref === "string" ? live.get(ref) : undefined;
    if (!wished.has(ref) || now === expression || (now !== undefined && now === wished.get(ref))) return [];
    return [
      `the expression of the rule ${JSON.stringify(ref)} is ${now ?? "gone"}, applied was ${JSON.stringify(expression)}`,
    ];
  });
}
