// Writes real output into README.md, between "sample" markers, and draws docs/plan.svg. With --check it writes nothing, and
// fails if a file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeSamples } from "./samples.mjs";
import { ROOT } from "./schemas.mjs";
import { drawTerminal } from "./terminal-svg.mjs";

const { drift, plan } = await takeSamples();
const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const files = {
  "README.md": withSample(readme, "drift", `$ zoneform drift\n${drift.trimEnd()}`),
  "docs/plan.svg": drawTerminal("zoneform plan --zone saas.dev", plan),
};

for (const [name, content] of Object.entries(files)) {
  const path = join(ROOT, name);
  if (!process.argv.includes("--check")) writeFileSync(path, content);
  else if (readFileSync(path, "utf8") !== content) {
    console.error(`${name} does not match what the commands print; run npm run generate`);
    process.exitCode = 1;
  }
}

function withSample(text, name, sample) {
  const [begin, end] = [`<!-- sample: ${name} -->\n`, "<!-- end -->"];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`README.md has no place for the sample "${name}"`);
  return `${text.slice(0, from + begin.length)}\`\`\`\n${sample}\n\`\`\`\n${text.slice(to)}`;
}
