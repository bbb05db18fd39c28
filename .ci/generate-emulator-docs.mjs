// Writes the generated parts of docs/emulator.md, each between `<!-- start: NAME -->` and `<!-- end -->`: what the emulator
// prints at its start, its flags, the keys of a seed, and the differences between its two behaviours. With --check it writes
// nothing, and fails if the file differs.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPublished, ROOT } from "./published-schemas.mjs";

const TARGET = join(ROOT, "docs/emulator.md");
const schema = readPublished()["emulator-seed"];
const PARTS = { "tests/golden/emulator/start.txt": screen, flags, seed, behaviours };

const before = read("docs/emulator.md");
const after = before.replaceAll(/(<!-- start: (.+) -->\n)[^]*?(<!-- end -->)/g, (_all, start, name, end) => {
  if (!(name in PARTS)) throw new Error(`docs/emulator.md: nothing writes the part ${name}`);
  return `${start}${PARTS[name](name)}\n${end}`;
});
if (!process.argv.includes("--check")) writeFileSync(TARGET, after);
else if (before !== after) {
  console.error("docs/emulator.md does not match the command and the schema; run npm run generate");
  process.exitCode = 1;
}

function screen(name) {
  return `\`\`\`\`text\n${read(name).trimEnd()}\n\`\`\`\``;
}

function flags() {
  const help = execFileSync(process.execPath, [join(ROOT, "dist/zoneform.js"), "emulator", "--help"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  const options = /^Options:\n([^]*?)\n\n/m.exec(help)?.[1] ?? "";
  const rows = options.split(/\n(?= {2}-)/).map((option) => {
    const [, flag, meaning] = /^\s*(-.*?) {2,}([^]*)$/.exec(option);
    return `| \`${flag}\` | ${cell(meaning.replaceAll(/\s+/g, " "))} |`;
  });
  return ["| flag | meaning |", "|---|---|", ...rows].join("\n");
}

function seed() {
  const parts = [["seed", schema], ...Object.entries(schema.$defs).filter(([, each]) => each.properties)];
  return parts
    .map(([name, each]) => {
      const heading = name === "seed" ? "" : `### Seed: \`${name}\`\n\n`;
      return `${heading}${each.description}\n\n${["| key | type | meaning |", "|---|---|---|", ...rows(each, "")].join("\n")}`;
    })
    .join("\n\n");
}

function rows({ properties, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([key, given]) => {
    const value = resolved(given);
    const name = `\`${prefix}${key}\`${required.includes(key) ? " (required)" : ""}`;
    const row = `| ${name} | ${cell(typeOf(given))} | ${cell(meaningOf(value))} |`;
    return given.properties ? [row, ...rows(given, `${prefix}${key}.`)] : [row];
  });
}

function meaningOf({ description, default: byDefault, examples }) {
  const fallback = byDefault === undefined ? "" : ` Default: \`${text(byDefault)}\`.`;
  const example = examples?.[0] === undefined ? "" : ` Example: \`${text(examples[0])}\`.`;
  return `${description}${fallback}${example}`;
}

function text(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function typeOf(given) {
  const name = definitionOf(given);
  if (name !== undefined && schema.$defs[name].properties) return `[\`${name}\`](#seed-${name.toLowerCase()})`;
  const value = resolved(given);
  if (value.enum) return value.enum.map((each) => `\`${each}\``).join(", ");
  if (value.anyOf) return value.anyOf.map(typeOf).join(" or ");
  if (value.type === "array") return `list of ${typeOf(value.items)}`;
  if (value.type === "object" && typeof value.additionalProperties === "object")
    return `map of ${typeOf(value.additionalProperties)}`;
  return value.type === "object" ? "map" : value.type;
}

function definitionOf({ $ref }) {
  return $ref?.replace("#/$defs/", "");
}

/** The schema with its reference resolved. What stands beside the reference takes precedence. */
function resolved(given) {
  const name = definitionOf(given);
  return name === undefined ? given : { ...resolved(schema.$defs[name]), ...given };
}

/** The rows of docs/service-coverage.md in which the two behaviours differ. */
function behaviours() {
  const section = read("docs/service-coverage.md").split("\n## Choices\n")[1] ?? "";
  const found = section.split("\n").filter((line) => /^\| \d+ \|/.test(line));
  const cells = found.map((line) => line.split(" | ").map((each) => each.replace(/^\| /, "")));
  const differing = cells.filter((row) => !row[3].startsWith("the same"));
  return [
    "| matter | described | public |",
    "|---|---|---|",
    ...differing.map(([, matter, described, pub]) => `| ${matter} | ${described} | ${pub} |`),
  ].join("\n");
}

function cell(value) {
  return value.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function read(path) {
  return readFileSync(join(ROOT, path), "utf8");
}
