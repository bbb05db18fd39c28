import { optionalText } from "../../core/decode.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import type { WafPreview, WafStanding } from "../../kinds/waf-migration/standing.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { present, ruleDocument } from "../plan/json.ts";
import { append, appendSection, appendTitled, type Line, line } from "../lines/lines.ts";
import { type Printing, printLines } from "../printers/text.ts";
import { ruleLines } from "../lines/rule-lines.ts";

/** How far the zones have migrated, one line for each. */
export function wafStatusText(standings: readonly WafStanding[], printing: Printing): string {
  return printLines(standings.map(standingLine), printing);
}

/** The same, or previews, for programs. */
export function wafDocument(found: readonly (WafStanding | WafPreview)[]): JsonObject {
  return { format_version: FORMAT_VERSION, zones: found.map(wafZoneDocument) };
}

function wafZoneDocument(found: WafStanding | WafPreview): JsonObject {
  const { zone, state, previous, new: next, isCompatible, reasons, lostGroups, lostRules, terraform } = found;
  return {
    zone,
    state,
    previous,
    new: next,
    ...present({ isCompatible }),
    reasons,
    lostGroups,
    lostRules,
    ...(terraform === undefined ? {} : { terraform: terraform.map((each) => ({ ...each })) }),
    ...("derived" in found ? previewDocument(found) : {}),
  };
}

function previewDocument({ derived, declared, notes, rulesets }: WafPreview): JsonObject {
  return {
    derived,
    ...(declared === undefined ? {} : { declared: declared.map(ruleDocument) }),
    notes,
    rulesets: rulesets.map((each) => ({ ...each })),
  };
}

/** Whether the zones can be migrated, and each reason against it. */
export function wafCheckText(standings: readonly WafStanding[], printing: Printing): string {
  const lines: Line[] = [];
  for (const standing of standings)
    appendSection(lines, [standingLine(standing), ...checkLines(standing), ...terraformLines(standing)]);
  return printLines(lines, printing);
}

/** What happens to objects that are still in a Terraform state. */
function terraformLines({ terraform }: WafStanding): Line[] {
  if (!terraform) return [];
  if (terraform.length === 0)
    return [line(2, "the Terraform state has no previous managed rules of this zone", "good")];
  return terraform.flatMap(({ address, fate, remedy }) => [
    line(
      2,
      `Terraform: ${address} ${fate === "dead" ? "no longer works" : "stops working with the migration"}`,
      fate === "dead" ? "bad" : "warn",
    ),
    line(4, remedy, "quiet"),
  ]);
}

/**
 * What a migration would save: the derived rules beside the declared ones, what is lost, and what no longer has an
 * effect.
 */
export function wafPreviewText(previews: readonly WafPreview[], printing: Printing): string {
  const lines: Line[] = [];
  for (const preview of previews) {
    appendSection(lines, [standingLine(preview), ...checkLines(preview)]);
    appendTitled(lines, "Rules that Cloudflare derives from the current protection", preview.derived.map(derivedLines));
    const isSame = preview.declared?.length === 0;
    if (isSame) appendSection(lines, [line(0, "The declared entry point does the same as the derived rules.", "good")]);
    const changes = preview.declared ?? [];
    const differences = changes.length === 0 ? [] : [ruleLines(changes, 2, "config")];
    appendTitled(lines, "How the declared entry point differs from the derived rules", differences);
    appendTitled(
      lines,
      "Settings that only act on the previous rules, and what replaces them",
      preview.notes.map((note) => [line(2, note)]),
    );
    appendTitled(
      lines,
      "Managed rulesets",
      preview.rulesets.map(({ name, version, description }) => [
        line(2, `${name}, version ${version}${description === "" ? "" : `: ${description}`}`),
      ]),
    );
  }
  return printLines(lines, printing);
}

function standingLine({ zone, state, previous, new: next }: WafStanding): Line {
  const step = Object.hasOwn(STEPS, state) ? STEPS[state] : state;
  return line(0, `${zone}: ${step ?? state}; previous managed rules ${previous}, new ones ${next}`, "heading");
}

/** What the service's words for the steps of the migration mean; `zoneform explain` says more. */
const STEPS: Readonly<Record<string, string>> = {
  default: "migration not started (default)",
  start: "migration not started (start)",
  validation: "migration started, both sets of rules are on (validation)",
  complete: "migrated (complete)",
};

function checkLines({ isCompatible, reasons, lostGroups, lostRules }: WafStanding): Line[] {
  if (isCompatible === undefined) return [line(2, "nothing to migrate")];
  const lines = [line(2, isCompatible ? "can be migrated" : "cannot be migrated", isCompatible ? "good" : "bad")];
  append(
    lines,
    reasons.map((reason) => line(4, `because: ${reason}`)),
  );
  append(
    lines,
    lostGroups.map((group) => line(4, `the migration drops the settings of the group ${group}`, "warn")),
  );
  append(
    lines,
    lostRules.map((rule) => line(4, `the migration drops the settings of the rule ${rule}`, "warn")),
  );
  return lines;
}

function derivedLines(rule: JsonObject, index: number): Line[] {
  const action = optionalText(rule, "action") ?? "";
  const state = rule["enabled"] === false ? " (off)" : "";
  const parameters = rule["action_parameters"];
  const head = line(2, `#${index + 1} ${action}${state} ${optionalText(rule, "expression") ?? ""}`);
  return parameters === undefined ? [head] : [head, line(6, canonical(parameters), "quiet")];
}
