import { param, type Call } from "../call.ts";
import { ServiceError } from "../messages.ts";
import { PHASES } from "./catalogue.ts";
import { type Owner, visibleRulesets } from "./owner.ts";
import type { Ruleset, RulesetVersion } from "./ruleset.ts";
import { rulesetError } from "./shape.ts";

/** The ruleset in the path, which may be a managed one. Throws 10003. */
export function foundRuleset(call: Call, owner: Owner): Ruleset {
  const id = param(call, "ruleset");
  const ruleset = visibleRulesets(owner).find((visible) => visible.id === id);
  if (ruleset === undefined) throw notFound(`could not find ruleset ${id}`);
  return ruleset;
}

/** The ruleset in the path. Throws 10003, or a 400 if it is managed or the account's, so that it cannot be changed here. */
export function writableRuleset(call: Call, owner: Owner): Ruleset {
  const ruleset = foundRuleset(call, owner);
  if (ruleset.kind === "managed") throw rulesetError("managed rulesets cannot be modified", "/kind");
  if (!owner.rulesets.has(ruleset.id)) throw rulesetError("rulesets of the account cannot be modified in a zone");
  return ruleset;
}

/** The owner's entry point of a phase, if it has one. */
export function entryPoint(owner: Pick<Owner, "rulesets" | "entryKind">, phase: string): Ruleset | undefined {
  return [...owner.rulesets.values()].find(({ kind, phase: its }) => kind === owner.entryKind && its === phase);
}

/** The entry point of the phase in the path. Throws 10003. */
export function foundEntryPoint(call: Call, owner: Owner): Ruleset {
  const phase = phaseOf(call);
  const ruleset = entryPoint(owner, phase);
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
