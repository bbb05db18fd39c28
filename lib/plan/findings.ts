import { listed } from "../core/words.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { valueAt } from "../core/json.ts";
import type { Check } from "../config/desired.ts";
import { checkExceptions } from "../config/check-facts.ts";
import { isHostname } from "../kinds/registry.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";
import type { PlanInput } from "./inputs.ts";
import { deleterOf } from "./seen.ts";
import { areUndeclaredReached, factsOf, planAddress, hostnameAddress, liveHostnames } from "./targets.ts";
import type { Subject } from "./subject.ts";

/** How many names a finding lists before counting the rest. */
const NAMED = 5;

/** How many deleted hostnames to name before counting the rest: the user has to check each of them. */
const GONE_NAMED = 20;

/**
 * What the user should know but no change covers: foreign and expired hostnames, denied live values, exceptions that
 * match nothing.
 */
export function findingsOf(
  input: PlanInput,
  foreign: readonly string[],
  expired: readonly StateObject[],
): readonly Diagnostic[] {
  return [
    ...foreignHostnames(input, foreign),
    ...expiredHostnames(input, expired),
    ...input.desired.checks.flatMap((check) => deniedLive(input, check)),
    ...missedExceptions(input),
    ...forgottenAlready(input),
  ];
}

function forgottenAlready(input: PlanInput): Diagnostic[] {
  const needed = heldOffByForget(input);
  const done = [...input.desired.forgets].filter(
    ([address]) => !input.state?.objects.has(address) && !needed.has(address),
  );
  return done.map(([address, at]) => warning(problem("forgotten-already", { address }, { at })));
}

/** Live hostnames that policies would match if the YAML did not say `forget`. */
function heldOffByForget(input: PlanInput): ReadonlySet<string> {
  if (!areUndeclaredReached(input)) return new Set();
  const hostnames = liveHostnames(input.live).keys();
  return new Set([...hostnames].map((key) => hostnameAddress(key)));
}

function foreignHostnames({ desired }: PlanInput, names: readonly string[]): Diagnostic[] {
  if (names.length === 0 || desired.hostnames.foreign !== "report") return [];
  const values = { hostnames: some(names, "custom hostname is", "custom hostnames are"), names: listed(names, NAMED) };
  return [warning(problem("foreign-hostnames", values, { at: desired.at }))];
}

function expiredHostnames(input: PlanInput, expired: readonly StateObject[]): Diagnostic[] {
  const deletedBy = (deleter: ReturnType<typeof deleterOf>): readonly string[] =>
    expired.filter((object) => deleterOf(object, input) === deleter).map(({ key }) => key);
  const [names, guessed] = [deletedBy("service"), deletedBy("unknown")];
  const certain = { count: some(names, "custom hostname", "custom hostnames"), names: listed(names, GONE_NAMED) };
  const uncertain = {
    subject: some(guessed, "custom hostname is", "custom hostnames are"),
    names: listed(guessed, GONE_NAMED),
  };
  return [
    ...(names.length === 0 ? [] : [warning(problem("expired-hostnames", certain))]),
    ...(guessed.length === 0 ? [] : [warning(problem("vanished-hostnames", uncertain))]),
  ];
}

/** The live hostnames with a value that a check denies; empty if the check does not apply to live values. */
export function deniedHostnames({ live }: Pick<PlanInput, "live">, check: Check): readonly string[] {
  if (!check.in.includes("live")) return [];
  const isDenied = (hostname: Live): boolean =>
    Object.entries(check.deny).some(([leaf, denied]) => {
      const value = valueAt(hostname.values, leaf.split("."));
      return typeof value === "string" && denied.includes(value);
    });
  return [...liveHostnames(live).values()].filter(isDenied).map(({ key }) => key);
}

function deniedLive(input: PlanInput, check: Check): Diagnostic[] {
  const names = deniedHostnames(input, check);
  if (names.length === 0) return [];
  return [
    warning(
      problem(
        "denied-live-value",
        {
          check: check.name,
          count: some(names, "live custom hostname", "live custom hostnames"),
          names: listed(names, NAMED),
        },
        { at: check.at },
      ),
    ),
  ];
}

/**
 * If undeclared live hostnames count, only live can tell whether an exception matches anything. Live has no labels, so
 * exceptions by label are checked against the rows instead.
 */
function missedExceptions({ desired, live, isDestroy }: PlanInput): readonly Diagnostic[] {
  const { hostnames } = desired;
  const countsLive = hostnames.lifecycle === "app" || hostnames.foreign === "adopt";
  if (isDestroy || !hostnames.isDeclared || !countsLive) return [];
  const policies = hostnames.policies.filter(({ match }) => Object.keys(match.label).length === 0);
  const found = [...liveHostnames(live).values()].map(factsOf);
  const declared = desired.objects.filter(({ kind }) => isHostname(kind)).map(({ key }) => key);
  const facts = declared.map((hostname) => ({ hostname, metadata: {}, labels: {} }));
  const missed: Diagnostic[] = [];
  checkExceptions({ ...hostnames, policies }, [...found, ...facts], (diagnostic) => void missed.push(diagnostic));
  return missed;
}

function some(names: readonly string[], one: string, many: string): string {
  return `${names.length} ${names.length === 1 ? one : many}`;
}

/** The code of a finding about a foreign object that has the name of one of ours. */
export const ANOTHER_OF_THIS_NAME = "another-of-this-name";

/**
 * Whether an applied object was deleted outside Zoneform and another one was created under its name, which the YAML
 * does not declare. The state drops the old one; the new one is not ours to delete. An application that owns its
 * hostnames does this all day.
 */
export function isTakenOver({ target, prior, live }: Subject): boolean {
  return (
    !target && live !== undefined && prior !== undefined && !prior.undeclared && !prior.pending && prior.id !== live.id
  );
}

/** Reports that each of them stays live: a user who removed it from the YAML would expect it to be deleted. */
export function takenOverFindings(input: PlanInput, subjects: readonly Subject[]): readonly Diagnostic[] {
  return subjects.map(({ kind, live }) => {
    const address = planAddress(input, kind.name, live?.key ?? "");
    return warning(problem(ANOTHER_OF_THIS_NAME, { address }, { address }));
  });
}
