import { expect } from "vitest";
import { isObject, type JsonObject } from "../../lib/core/json.ts";
import { planExit } from "../../lib/engine/exit.ts";
import type { Change } from "../../lib/plan/change.ts";
import { managedRulesetId } from "../../lib/kinds/ruleset/managed.ts";
import { changesOf, driftInWords, inWords, type Rig } from "../support/engine.ts";
import type { Configuration } from "./configurations.ts";
import { PHASES, type Phase } from "./entry-point-values.ts";
import { declaredOf } from "./expected.ts";
import { flat, storedHostname, storedRules } from "./live.ts";

/** Plans right after an apply: even the state has nothing to learn. Returns what is held. */
export async function expectSettled(rig: Rig): Promise<readonly Change[]> {
  const held = await expectNoChanges(rig);
  for (const { bookkeeping } of (await rig.plan()).zones) expect(bookkeeping).toEqual({ remember: [], drop: [] });
  return held;
}

/** Plans again: nothing to do except what is held, and nothing that would alert anybody. Returns what is held. */
export async function expectNoChanges(rig: Rig): Promise<readonly Change[]> {
  const plan = await rig.plan();
  const changes = changesOf(plan);
  expect(inWords(changes.filter(({ action }) => action !== "held"))).toEqual([]);
  expect(driftInWords(await rig.drift())).toEqual([]);
  for (const section of plan.zones) {
    expect(planExit(section, true)).toBe(0);
  }
  return changes;
}

/** Everything that the configuration declares is live with the declared values, except for what is held. */
export function expectLive(rig: Rig, configuration: Configuration, held: readonly Change[]): void {
  const waiting = new Set(held.map(({ key }) => key));
  for (const [hostname, wanted] of declaredOf(configuration)) {
    const stored = storedHostname(rig, hostname);
    expect(stored, hostname).toBeDefined();
    const live = flat(stored ?? {});
    for (const [path, value] of Object.entries(flat(wanted))) {
      if (waiting.has(hostname) && path.startsWith("ssl.")) continue;
      // An uploaded certificate has no CA.
      if (path === "ssl.certificate_authority" && live["ssl.uploaded"] === true) continue;
      if (path.startsWith("ssl.custom_")) expect(live["ssl.uploaded"], `${hostname} ${path}`).toBe(true);
      else if (isSeen(path, value)) expect(live[path], `${hostname} ${path}`).toEqual(inOneSpelling(path, value));
    }
  }
  for (const phase of PHASES) expectRules(rig, configuration, phase);
}

/** The service may choose a CA for `default`, and an adopted hostname's branding cannot be known. */
function isSeen(path: string, value: unknown): boolean {
  return path !== "ssl.cloudflare_branding" && !(path === "ssl.certificate_authority" && value === "default");
}

function inOneSpelling(path: string, value: unknown): unknown {
  return path === "custom_origin_server" && typeof value === "string" ? value.toLowerCase() : value;
}

/** Our rules are live in order, each with the declared values. */
function expectRules(rig: Rig, { entryPoints }: Configuration, phase: Phase): void {
  const wanted = entryPoints[phase]?.rules;
  if (!wanted) return;
  const live = storedRules(rig, phase) ?? [];
  const ours = live.filter((rule) => wanted.some(({ ref }) => ref === rule["ref"]));
  expect(ours.map((rule) => rule["ref"])).toEqual(wanted.map((rule) => rule["ref"]));
  ours.forEach((rule, index) => expect(rule).toMatchObject(withIds(wanted[index] ?? {})));
}

function withIds(rule: JsonObject): JsonObject {
  const parameters = rule["action_parameters"];
  if (!isObject(parameters)) return rule;
  const { id, rulesets } = parameters;
  return {
    ...rule,
    action_parameters: {
      ...parameters,
      ...(typeof id === "string" ? { id: managedRulesetId(id) } : {}),
      ...(Array.isArray(rulesets) ? { rulesets: rulesets.map(managedRulesetId) } : {}),
    },
  };
}
