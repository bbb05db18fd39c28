import { error, type Position } from "../core/diagnostic.ts";
import type { SpecProblem } from "../kinds/traits/declared.ts";
import { type SecretAtHand, uploadProblems } from "../kinds/custom-hostname/upload.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Declaration } from "./declaration.ts";
import type { DesiredObject } from "./desired.ts";
import type { DeclaredHostnames } from "./hostnames.ts";
import type { LayeredZone } from "./layers.ts";
import { originOfLeaf } from "./origins.ts";
import { floorFor, specFor } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";

/** Problems that are the absence of something. */
export const ABSENCES: ReadonlySet<string> = new Set([
  "missing-key",
  "ssl-method-missing",
  "hostname-needs-branding",
  "certificate-without-key",
]);

/** Every hostname that the zone declares, with what is wanted of it. */
export function hostnameObjects(
  { byName }: DeclaredHostnames,
  decoded: DecodedRules,
  { file, isWhole }: Pick<LayeredZone, "file" | "isWhole">,
  secretOf: SecretAtHand,
  report: Report,
): readonly DesiredObject[] {
  const kind = kindNamed("custom_hostname");
  const problems = problemList(report);
  const objects: DesiredObject[] = [];
  for (const [hostname, declaration] of byName) {
    const spec = specFor(decoded.rules, declaration.facts, declaration.own);
    for (const problem of [...kind.problems(hostname, spec), ...uploadProblems(hostname, spec, secretOf)]) {
      // A part that was taken out for an error of its own may be just what is missing.
      if (!isWhole && ABSENCES.has(problem.code)) continue;
      problems.add(hostname, problem, placeOf(problem.path, declaration, decoded, file));
    }
    objects.push({
      kind: "custom_hostname",
      key: hostname,
      spec,
      options: decoded.rules.options,
      floor: floorFor(decoded.rules, declaration.facts),
      ...(declaration.protect === undefined ? {} : { protect: declaration.protect }),
      at: declaration.at,
    });
  }
  problems.finish();
  return objects;
}

/** The value that is wrong; where the problem is about something that nobody wrote, the hostname. */
function placeOf(path: SpecProblem["path"], declaration: Declaration, decoded: DecodedRules, file: string): Position {
  if (path[0] === "hostname") return declaration.at;
  return originOfLeaf(path.map(String), declaration, decoded, file)?.at ?? declaration.at;
}

const MOST_OF_A_CODE = 20;

/** One wrong policy makes ten thousand hostnames wrong: one error for each place, and twenty of a code. */
function problemList(report: Report): {
  add(hostname: string, problem: SpecProblem, at: Position): void;
  finish(): void;
} {
  const byPlace = new Map<string, { problem: SpecProblem; at: Position; hostname: string; more: number }>();
  return {
    add: (hostname, problem, at) => {
      const key = `${problem.code} ${at.file}:${at.line}:${at.column}`;
      const known = byPlace.get(key);
      if (known) known.more += 1;
      else byPlace.set(key, { problem, at, hostname, more: 0 });
    },
    finish: () => {
      const counts = new Map<string, number>();
      for (const { problem, at, hostname, more } of byPlace.values()) {
        const count = (counts.get(problem.code) ?? 0) + 1;
        counts.set(problem.code, count);
        if (count > MOST_OF_A_CODE) continue;
        const others = more === 0 ? "" : ` (and so are ${more} more hostnames)`;
        const { code, remedy } = problem;
        const address = `custom_hostname[${JSON.stringify(hostname)}]`;
        report(error({ code, message: `${problem.message}${others}`, remedy, at, address }));
      }
      for (const [code, count] of counts) {
        if (count <= MOST_OF_A_CODE) continue;
        const message = `${count - MOST_OF_A_CODE} more errors ${code}`;
        report(error({ code: "more-errors", message, remedy: "mend the ones above first" }));
      }
    },
  };
}
