import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Sentences of former versions that nobody understood at first reading: in no source, output or doc. */
const RETIRED_PHRASES = [
  "takes away",
  "nobody is there to approve",
  "nothing that needs anybody",
  "has not the form",
  "rules of others",
  "rule of others",
  "to go on:",
  "to go back:",
  "carry this out",
  "no longer wanted",
  "came to grief",
  "asked for in vain",
  "hits no hostname",
  "longest out of use",
  "is needed no more",
  "so looks a file",
  "with its hash",
  "only let go",
  "throws away what",
  "took with it of",
  "nobody saw the answer",
  "nobody would know",
  "created no more",
  "gives way",
  "give way",
  "is somebody else's",
  "nobody declares",
  "and no drift:",
  "taken as approval",
  "still wants what",
  "in the one request in between",
  "what came since",
  "is so already",
  "needs anybody",
  "nothing readable says",
  "would meet it as well",
  "keep the CA from issuing",
  "what runs saw",
  "somebody changed the object",
  "have each set to",
  "what it wrote stays",
  "says of their engine",
  "is not what zoneform wrote",
  "is wanted of it",
  "something went wrong that",
  "what main has left behind",
  "something to go on with",
  "is not the plan of today",
  "did not learn whether its change took",
  "by Cloudflare or by somebody",
  "what it would do now",
  "what is not blocked takes",
  "this report is about",
  "to see what is known of",
  "hoever",
  "obody knows",
  "obody saw",
  "obody can tell",
  "So many ",
  "So often ",
  "So long ",
  "are told",
  "is told",
  "at hand",
] as const;

/** What a person reads, and what it is made of. Only the page with the glossary names retired words. */
const FILES = [
  "README.md",
  "CONTRIBUTING.md",
  ...["docs", "lib", "cmd", "pages", "schemas", "tests/golden"].flatMap(filesIn),
].filter((file) => file !== "docs/style.md");

it.each(RETIRED_PHRASES)("nothing says %j any more", (phrase) => {
  const found = FILES.filter((file) => textOf(file).includes(phrase));
  expect(found).toEqual([]);
});

it.each(retiredWords())("no golden output says %j any more", (word) => {
  const pattern = new RegExp(`(?<![\\w"._-])${word}(?![\\w"_-])`);
  const outputs = FILES.filter((file) => /^tests\/golden\/.*\.(?:txt|md)$/.test(file));
  expect(outputs.length).toBeGreaterThan(5);
  expect(outputs.filter((file) => pattern.test(textOf(file)))).toEqual([]);
});

/** The third column of the glossary. */
function retiredWords(): readonly string[] {
  const glossary = textOf("docs/style.md").split("## Glossary")[1] ?? "";
  const rows = glossary.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| word |"));
  return rows.flatMap((row) => (row.split("|")[3] ?? "").split(",").map((word) => word.trim())).filter(Boolean);
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:tsx?|json|md|txt)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
