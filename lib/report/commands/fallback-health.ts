import { type FallbackHealth, fallbackMeaning } from "../../engine/hostnames/origin-health.ts";
import { explain } from "../../engine/explain/explain.ts";
import { type Line, line } from "../lines/lines.ts";
import { counted } from "../../core/words.ts";
import { remedyLines } from "../lines/diagnostics.ts";

/** The problems of a fallback origin, with what to do; empty for none. */
export function fallbackProblems(health: FallbackHealth): Line[] {
  const found = problemsOf(health);
  if (found.length === 0) return [];
  const { origin = "none", hostnames } = health;
  const affected = hostnames === 0 ? "" : `, used by ${counted(hostnames, "hostname")}`;
  return [
    line(2, `fallback origin ${origin}${affected}`, "warn"),
    ...found.flatMap(({ said, remedy }) => [line(4, said), ...remedyLines(4, remedy)]),
  ];
}

/** The health of a fallback origin without problems. */
export function fallbackSummary(health: FallbackHealth): string {
  const { origin, status, record, resolves } = health;
  const parts = [
    status,
    ...(record === undefined ? [] : [RECORDS[record]]),
    ...(resolves === undefined ? [] : [ANSWERS[resolves]]),
  ];
  return origin === undefined ? "fallback origin: none" : `fallback origin ${origin}: ${parts.join(", ")}`;
}

const RECORDS = {
  proxied: "its record is proxied",
  unproxied: "its record is not proxied",
  missing: "no record in the zone",
  unreadable: "its record cannot be read (the token lacks DNS Read)",
} as const satisfies Record<NonNullable<FallbackHealth["record"]>, string>;

const ANSWERS = {
  yes: "it resolves",
  no: "it does not resolve",
  unknown: "DNS gave no answer",
} as const satisfies Record<NonNullable<FallbackHealth["resolves"]>, string>;

interface Problem {
  readonly said: string;
  readonly remedy: string;
}

function problemsOf(health: FallbackHealth): readonly Problem[] {
  const { origin, status, errors, record, resolves, hostnames, isDeclared } = health;
  if (origin === undefined && hostnames === 0) return [];
  if (origin === undefined)
    return [
      {
        said: `the zone has no fallback origin${isDeclared ? ", although the YAML declares one" : ""}`,
        remedy: isDeclared ? "to set it again: zoneform apply" : remedyOf("no-fallback-origin"),
      },
    ];
  const isServing = status === "active";
  const [waits, missing] = [fallbackMeaning(status), record === "missing"];
  return [
    ...(isServing
      ? []
      : [
          {
            said: [`Cloudflare says ${status}`, ...errors].join(": "),
            remedy: waits?.remedy ?? remedyOf("fallback-origin-not-active"),
          },
        ]),
    ...(missing ? [{ said: "the zone has no record of it", remedy: remedyOf("fallback-record-missing") }] : []),
    ...(record === "unproxied"
      ? [{ said: "its record is not proxied", remedy: remedyOf("fallback-record-unproxied") }]
      : []),
    ...(resolves === "no" && !missing
      ? [{ said: "it does not resolve", remedy: remedyOf("fallback-record-missing") }]
      : []),
  ];
}

function remedyOf(code: string): string {
  return explain(code)[0].remedy;
}
