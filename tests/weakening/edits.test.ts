import { expect, it } from "vitest";
import { known, live, liveHostname, onlyChange, wanted } from "../unit/plan/inputs.ts";
import { type Edit, EDITS } from "./edits.ts";

it("the list has each edit once, with a reason, and each one changes something", () => {
  expect(new Set(EDITS.map(({ name }) => name)).size).toBe(EDITS.length);
  for (const { name, from, to, because } of EDITS) {
    expect(because, name).not.toBe("");
    expect(to, name).not.toEqual(from);
  }
});

const PHASE = "http_request_firewall_custom";
const KEYS = { custom_hostname: "app.customer.net", total_tls: "" } as const;

/** Whether the plan of an edit says that it weakens protection. */
function isNamed({ kind, from, to, phase = PHASE }: Edit): boolean {
  const key = kind === "ruleset" ? phase : KEYS[kind];
  const spec = kind === "ruleset" ? { ...to, rules: to["rules"] ?? [] } : to;
  const given = kind === "custom_hostname" ? liveHostname(key, from) : live(kind, key, from);
  const { hazards } = onlyChange({
    objects: [wanted(kind, key, spec)],
    known: [known(kind, key, from)],
    live: [given],
  });
  return hazards.includes("weakens-protection");
}

it.each(EDITS.filter(({ judged }) => judged === "dangerous"))(
  "$name: the plan names the hazard, because $because",
  (edit) => {
    expect(isNamed(edit)).toBe(true);
  },
);

it("at most five of the harmless edits have the hazard", () => {
  const wronged = EDITS.filter((edit) => edit.judged === "harmless" && isNamed(edit)).map(({ name }) => name);
  expect(wronged.length, wronged.join(", ")).toBeLessThanOrEqual(5);
});
