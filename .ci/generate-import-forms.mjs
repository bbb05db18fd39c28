// Writes the kinds' forms of import ids into lib/core/import-forms.ts, so that help can show them without loading any kind.
// With --check it writes nothing, and fails if the file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../dist/lib/kinds/registry.js";
import { formatted } from "./formatted.mjs";
import { ROOT } from "./schemas.mjs";

const TARGET = "lib/core/import-forms.ts";
const partsOf = (form) => form.split("/").length;
const forms = [...new Set(KINDS.flatMap(({ importForms }) => importForms))].sort((a, b) => partsOf(b) - partsOf(a));

const text = formatted(
  "import-forms.ts",
  `// Generated from lib/kinds/registered.ts by .ci/generate-import-forms.mjs; do not edit.

/** The forms of import ids; those with more parts come first. */
export const IMPORT_FORMS = ${JSON.stringify(forms)} as const;
`,
);
if (!process.argv.includes("--check")) writeFileSync(join(ROOT, TARGET), text);
else if (readFileSync(join(ROOT, TARGET), "utf8") !== text) {
  console.error(`${TARGET} does not match the kinds; run npm run generate`);
  process.exitCode = 1;
}
