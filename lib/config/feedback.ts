import { type Diagnostic, error } from "../core/diagnostic.ts";
import { formatPath, leaves, type Path } from "../core/json.ts";
import type { Match } from "./desired.ts";
import { nodeAt } from "./node.ts";
import type { DecodedRules } from "./rules.ts";

/**
 * Policies and exceptions that set what another one looks at. Where facts are those of live hostnames, what is set today
 * is the fact of tomorrow: the next plan would want something else, and perhaps never come to an end.
 */
export function feedback({ rules, written }: DecodedRules): readonly Diagnostic[] {
  const readers = new Map<string, string>();
  for (const { name, match } of rules.policies) {
    for (const leaf of leavesBehind(match)) if (!readers.has(leaf)) readers.set(leaf, name);
  }
  return rules.policies.flatMap((policy) =>
    leaves(policy.set).flatMap(({ path }) => {
      const reader = readers.get(formatPath(path));
      if (reader === undefined) return [];
      const at = nodeAt(written.get(policy)?.set, path)?.at ?? policy.at;
      return [error({ ...feeding(policy.name, path, reader), at })];
    }),
  );
}

/** The leaves that the facts of a match are read from. */
function leavesBehind({ wildcard, customOriginServer, metadata }: Match): readonly string[] {
  return [
    ...(wildcard === undefined ? [] : ["ssl.wildcard"]),
    ...(customOriginServer === undefined ? [] : ["custom_origin_server"]),
    ...Object.keys(metadata).map((key) => formatPath(["custom_metadata", key])),
  ];
}

function feeding(name: string, path: Path, reader: string): Pick<Diagnostic, "code" | "message" | "remedy"> {
  const itself = reader === name ? "that it looks at itself" : `that ${JSON.stringify(reader)} looks at`;
  return {
    code: "policy-sets-fact",
    message: `${JSON.stringify(name)} sets ${formatPath(path)}, ${itself}: facts are those of live hostnames here, so each apply would change what is wanted`,
    remedy: "match on something that no policy sets, or leave the value to the application",
  };
}
