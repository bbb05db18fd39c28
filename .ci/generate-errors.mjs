// Writes docs/errors.md, the list of zoneform's own codes, from the tables that `zoneform explain` reads. With --check
// it writes nothing, and fails if the file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as tables from "../dist/lib/core/codes.js";
import { generalRemedy } from "../dist/lib/core/diagnostic.js";
import { KINDS } from "../dist/lib/kinds/registry.js";
import { ROOT } from "./schemas.mjs";

const TARGET = join(ROOT, "docs/errors.md");

/** The heading of each table, in the order of the page. */
const HEADINGS = {
  GUARDS: "Refused changes",
  APPROVALS: "Approvals and plan files",
  CONFLICTS: "Conflicts",
  FINDINGS: "Findings",
  DNS: "DNS",
  CALLS: "Calls of the service",
  STATES: "States",
  RUNS: "Undoing a run",
  TRACKING: "Addresses, imports and moves",
  COMMANDS: "Commands",
  SECRETS: "Secrets",
  SOURCES: "CSV and NDJSON sources",
  PROJECT: "The files of a project",
  VALUES: "Keys and values",
  YAML: "YAML",
};

const forgotten = Object.keys(tables).filter((name) => !(name in HEADINGS));
if (forgotten.length > 0) throw new Error(`docs/errors.md has no heading for ${forgotten.join(", ")}`);

const byName = new Map(Object.entries(tables));
const ofTables = Object.entries(HEADINGS).map(([name, heading]) => chapter(heading, byName.get(name)));
const text = `${[introduction(), ...ofTables, ...ofKinds()].join("\n\n")}\n`;
if (!process.argv.includes("--check")) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, "utf8") !== text) {
  console.error("docs/errors.md does not match lib/core/codes and the kinds; run npm run generate");
  process.exitCode = 1;
}

function introduction() {
  return `<!-- Generated from lib/core/codes and lib/kinds by .ci/generate-errors.mjs; do not edit. -->
# Errors and warnings

Every message ends with its code in brackets, and every code is listed here. \`zoneform explain CODE\` says the same in the
terminal; it also knows the codes, statuses and texts of the service. JSON output has the code under \`code\`.`;
}

function ofKinds() {
  return KINDS.filter(({ ownCodes }) => Object.keys(ownCodes).length > 0).map(({ name, ownCodes }) =>
    chapter(`\`${name}\``, ownCodes),
  );
}

function chapter(heading, codes) {
  const rows = Object.entries(codes).map(
    ([code, meant]) => `| \`${code}\` | ${cell(meant.cause)} | ${cell(generalRemedy(meant))} |`,
  );
  return [`## ${heading}`, "", "| code | what it means | what to do |", "|---|---|---|", ...rows].join("\n");
}

/** Escapes a text for the cell of a table, so that nothing in it is read as Markdown. */
function cell(text) {
  return text.replaceAll(/[\\`*<>|]|__/g, (mark) => [...mark].map((each) => `\\${each}`).join(""));
}
