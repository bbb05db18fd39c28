import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  CERTIFICATE_STANDINGS,
  HOSTNAME_STANDINGS,
  type Standing,
  standingOf,
} from "../../../../lib/kinds/custom-hostname/states.ts";
import { CERTIFICATE_STATUSES, HOSTNAME_STATUSES } from "../../../../lib/service/explanations/statuses.ts";

const DOCS = readFileSync(resolve(import.meta.dirname, "../../../../docs/hazards.md"), "utf8");

/** The rows of the table below a heading: status, phase, what lifts it. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const section = DOCS.split(`### ${heading}`)[1]?.split("\n#")[0] ?? "";
  return [...section.matchAll(/^\| `(\w+)` \| ([\w ]+) \| (.*) \|$/gm)].map(([, ...cells]) =>
    cells.map((cell) => cell.trim()),
  );
}

function rowsOf(standings: Readonly<Record<string, Standing>>): readonly (readonly string[])[] {
  return Object.entries(standings).map(([status, standing]) => [
    status,
    standing.phase,
    standing.phase === "under way" ? standing.lifts : "",
  ]);
}

describe.each([
  ["Status of the certificate", CERTIFICATE_STANDINGS, { ...CERTIFICATE_STATUSES, caa_error: true }, 22],
  ["Status of the hostname", HOSTNAME_STANDINGS, HOSTNAME_STATUSES, 17],
] as const)("the table: %s", (heading, standings, explained, count) => {
  it("is the same in the docs and in the code", () => {
    expect(rowsBelow(heading)).toEqual(rowsOf(standings));
  });

  it("has every status that zoneform explain knows, and caa_error", () => {
    expect(Object.keys(standings).toSorted()).toEqual(Object.keys(explained).toSorted());
    expect(Object.keys(standings)).toHaveLength(count);
  });
});

/** How a hostname with these statuses takes a change of ssl. */
function phaseOf(status: string, certificate: string, said: readonly string[] = []): Standing["phase"] {
  const errors = said.length === 0 ? {} : { validation_errors: [...said] };
  return standingOf({ id: "1", key: "a.net", values: {}, status: { status, ssl_status: certificate, ...errors } })
    .phase;
}

describe("a change of ssl", () => {
  it("waits while either of the two is under way", () => {
    expect(phaseOf("pending", "active")).toBe("under way");
    expect(phaseOf("active", "pending_deployment")).toBe("under way");
    expect(phaseOf("active", "a status of tomorrow")).toBe("under way");
  });

  it("is made where nothing goes on by itself", () => {
    expect(phaseOf("pending", "validation_timed_out")).toBe("final");
    expect(phaseOf("moved", "active")).toBe("final");
    expect(phaseOf("active", "pending_issuance", ["caa_error: a.net"])).toBe("final");
    expect(phaseOf("pending", "pending_validation", ["caa_error: a.net"])).toBe("final");
    expect(phaseOf("active", "active")).toBe("active");
  });

  it("is made on a hostname that has no certificate", () => {
    expect(standingOf({ id: "1", key: "a.net", values: {}, status: { status: "pending" } }).phase).toBe("active");
  });
});
