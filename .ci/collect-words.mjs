// Collects the words that the program itself writes, dist/own-words.js: a credential that is one of them cannot be hidden
// without hiding the program's own texts. The file is built and not checked in, because it follows from the sources.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./published-schemas.mjs";

/** Shorter texts are never looked for (`SHORTEST_SECRET`); longer ones are no words. */
const WORD = /[A-Za-z][A-Za-z_-]{5,39}/g;
const COMMENTS = /^\s*(?:\/\*\*|\*|\/\/).*$/gm;
const IMPORTS = /^(?:import|export)\b[^;]*?\bfrom\s+"[^"]*";/gm;
const TEXTS = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

const words = new Set();
for (const folder of ["cmd", "lib"])
  for (const file of readdirSync(join(ROOT, folder), { recursive: true }))
    for (const text of textsIn(join(ROOT, folder, file))) for (const [word] of text.matchAll(WORD)) words.add(word);
const all = JSON.stringify([...words].toSorted((left, right) => (left < right ? -1 : 1)).join("\n"));
writeFileSync(join(ROOT, "dist/own-words.js"), `export const ownWords = ${all};\n`);

/** The texts of a source, and a schema as a whole: its keys are printed. The emulator's examples are tokens. */
function textsIn(path) {
  if (/[\\/]emulator/.test(path)) return [];
  if (path.endsWith(".json")) return [readFileSync(path, "utf8")];
  if (!path.endsWith(".ts")) return [];
  return readFileSync(path, "utf8").replace(COMMENTS, "").replace(IMPORTS, "").match(TEXTS) ?? [];
}
