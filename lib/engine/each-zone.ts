import { type Diagnostic, error, problem, Refusal } from "../core/diagnostic.ts";
import type { DesiredZone } from "../config/desired.ts";
import { DecodeError } from "../core/decode.ts";
import { EXIT } from "../core/exit-code.ts";
import type { FailedZone } from "../plan/change.ts";
import { ApiError, UnreachableError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isOfThePlace } from "../state/error.ts";

/** The result for each zone, and the zones that failed. */
export interface EachZone<T> {
  readonly made: readonly T[];
  readonly failed: readonly FailedZone[];
  /** The first error that was thrown. */
  readonly thrown?: unknown;
}

/**
 * Runs a function for each zone, one after the other. A failing zone does not hide the others. A failure that every
 * zone would meet ends the loop: if the first zone meets it, all zones have failed; if a later one does, the remaining
 * zones are skipped.
 */
export async function eachZone<T>(
  zones: readonly DesiredZone[],
  act: (zone: DesiredZone) => Promise<T>,
): Promise<EachZone<T>> {
  const made: T[] = [];
  const failed: FailedZone[] = [];
  let first: { readonly thrown: unknown } | undefined;
  for (const [index, zone] of zones.entries()) {
    try {
      made.push(await act(zone));
    } catch (thrown) {
      const isOver = meetsEveryZone(thrown);
      if (!isOfZone(thrown)) throw thrown;
      if (isOver && index === 0) return { made, failed: allFailed(zones, thrown), thrown };
      first ??= { thrown };
      failed.push(failedZone(zone, thrown));
      if (!isOver) continue;
      failed.push(...zones.slice(index + 1).map((next) => notLookedAt(next, zone)));
      break;
    }
  }
  return { made, failed, ...first };
}

/** Throws the failure of one zone, or a `Refusal` with those of several; for commands that need every zone. */
export function throwFailures({ failed, thrown }: Pick<EachZone<unknown>, "failed" | "thrown">): void {
  const [first, ...others] = failed;
  if (!first) return;
  const exitCode = others.every((other) => other.exitCode === first.exitCode) ? first.exitCode : EXIT.error;
  throw new Refusal(diagnosticsOf(failed), exitCode, { cause: thrown });
}

/** The diagnostics of the zones that failed; one that is the same for all of them appears once. */
export function diagnosticsOf(failed: readonly FailedZone[]): readonly Diagnostic[] {
  const found = failed.flatMap(({ diagnostics }) => diagnostics);
  const said = new Set<string>();
  return found.filter(({ code, message }) => {
    const isNew = !said.has(`${code} ${message}`);
    said.add(`${code} ${message}`);
    return isNew;
  });
}

/**
 * A failure of the service, the credential or the place of the states. It concerns no single zone, so it names none.
 */
function allFailed(zones: readonly DesiredZone[], thrown: unknown): readonly FailedZone[] {
  const diagnostics = [explainFailure(thrown)];
  return zones.map(({ id, name, at }) => ({ zone: { id, name }, at, diagnostics, exitCode: EXIT.error }));
}

/** Whether the failure concerns the zone. Anything but a response, a refusal or an interruption is a bug of ours. */
function isOfZone(thrown: unknown): boolean {
  return [Refusal, ApiError, UnreachableError, DecodeError].some((known) => thrown instanceof known);
}

/** An invalid credential fails every zone. So does a service or a store that does not respond. */
function meetsEveryZone(thrown: unknown): boolean {
  if (isOfThePlace(thrown)) return true;
  if (thrown instanceof UnreachableError) return thrown.reason !== "unusable" && thrown.reason !== "broken-list";
  if (!(thrown instanceof ApiError)) return false;
  const isNotAllowed = thrown.has(10000);
  return (thrown.status === 401 && !isNotAllowed) || INVALID_CREDENTIAL.some((code) => thrown.has(code));
}

/** The service's codes for an invalid token or key; they do not depend on the zone. */
const INVALID_CREDENTIAL: readonly number[] = [1000, 6003, 6103, 6111, 9103, 9106];

function failedZone(zone: DesiredZone, thrown: unknown): FailedZone {
  const found = thrown instanceof Refusal ? thrown.diagnostics : [explainFailure(thrown)];
  return {
    zone: { id: zone.id, name: zone.name },
    at: zone.at,
    diagnostics: found.map((each) => ofZone(zone, each)),
    exitCode: Object.values(EXIT).find((code) => thrown instanceof Refusal && code === thrown.exitCode) ?? EXIT.error,
  };
}

/** Adds the zone's name and its place in the YAML if the diagnostic lacks them. */
function ofZone({ name, at }: DesiredZone, diagnostic: Diagnostic): Diagnostic {
  const message = diagnostic.message.includes(name) ? diagnostic.message : `${name}: ${diagnostic.message}`;
  return { ...diagnostic, message, at: diagnostic.at ?? at };
}

function notLookedAt(zone: DesiredZone, because: DesiredZone): FailedZone {
  const { id, name, at } = zone;
  return {
    zone: { id, name },
    at,
    diagnostics: [error(problem("not-looked-at", { zone: name, "other-zone": because.name }, { at }))],
    exitCode: EXIT.error,
  };
}
