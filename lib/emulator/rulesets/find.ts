import { param, type Call } from "../call.ts";
import { ServiceError } from "../messages.ts";
import type { Zone } from "../store.ts";
import { managedRulesets, PHASES } from "./catalogue.ts";
import type { Ruleset, RulesetVersion } from "./ruleset.ts";
import { rulesetError } from "./rule-input.ts";

/** The ruleset in the path, which may be a managed one. Throws 10003. */
export function foundRuleset(call: Call, zone: Zone): Ruleset {
  const id = param(call, "ruleset");
  const ruleset = zone.rulesets.get(id) ?? managedRulesets().find((managed) => managed.id === id);
  if (ruleset === undefined) throw notFound(`could not find ruleset ${id}`);
  return ruleset;
}

/** The ruleset in the path. Throws 10003, or a 400 if the ruleset is managed, so that nobody can change it. */
export function writableRuleset(call: Call, zone: Zone): Ruleset {
  const ruleset = foundRuleset(call, zone);
  if (ruleset.kind === "managed") throw rulesetError("managed rulesets cannot be modified", "/kind");
  return ruleset;
}

/** The zone's entry point of a phase, if it has one. */
export function entryPoint(zone: Zone, phase: string): Ruleset | undefined {
  for (const ruleset of zone.rulesets.values()) if (ruleset.kind === "zone" && ruleset.phase === phase) return ruleset;
  return undefined;
}

/** The entry point of the phase in the path. Throws 10003. */
export function foundEntryPoint(call: Call, zone: Zone): Ruleset {
  const phase = phaseOf(call);
  const ruleset = entryPoint(zone, phase);
  if (ruleset === undefined) throw notFound(`could not find entrypoint ruleset in the ${phase} phase`);
  return ruleset;
}

/** The phase in the path. Throws a 400 for an unknown phase. */
export function phaseOf(call: Call): string {
  const phase = param(call, "phase");
  if (!PHASES.has(phase)) throw rulesetError(`'${phase}' is not a valid value for phase`, "/phase");
  return phase;
}

/** The version in the path. Throws 10003. */
export function foundVersion(call: Call, ruleset: Ruleset): RulesetVersion {
  const wanted = param(call, "version");
  const version = ruleset.versions.find((candidate) => String(candidate.version) === wanted);
  if (version === undefined) throw notFound(`could not find version ${wanted} of ruleset ${ruleset.id}`);
  return version;
}

/** Whether the request is a dry run (docs/service.md#rulesets). */
export function isDryRun(call: Call): boolean {
  return call.query.get("dry_run") === "true";
}

/** The error 10003. */
export function notFound(message: string): ServiceError {
  return new ServiceError(404, { code: 10003, message });
}
