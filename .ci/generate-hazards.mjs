// Writes the hazards of lib/kinds/hazards.ts into docs/hazards.md and the example jobs. With --check it writes nothing, and
// fails if a file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HAZARD_MEANINGS, HAZARDS } from "../dist/lib/kinds/hazards.js";
import { ROOT } from "./schemas.mjs";

const rows = HAZARDS.map((name) => `| \`${name}\` | ${HAZARD_MEANINGS[name].mark} | ${HAZARD_MEANINGS[name].cause} |`);
const dangers = HAZARDS.filter((name) => HAZARD_MEANINGS[name].mark === "DANGER");
const reviewed = [/^( {2}REVIEWED_HAZARDS:).*$/m, `$1 ${dangers.join(" ")}`];

replaceIn("docs/hazards.md", /(\| hazard \|.*\n\|.*\n)(?:\|.*\n)+/, `$1${rows.join("\n")}\n`);
replaceIn("examples/ci/github/zoneform-apply.yml", ...reviewed);
replaceIn("examples/ci/gitlab/.gitlab-ci.yml", ...reviewed);

function replaceIn(file, part, by) {
  const before = readFileSync(join(ROOT, file), "utf8");
  if (!part.test(before)) throw new Error(`${file} has no place for the hazards`);
  const after = before.replace(part, by);
  if (!process.argv.includes("--check")) writeFileSync(join(ROOT, file), after);
  else if (after !== before) {
    console.error(`${file} does not match lib/kinds/hazards.ts; run npm run generate`);
    process.exitCode = 1;
  }
}
