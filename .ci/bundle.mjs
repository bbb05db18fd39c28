// Bundles the command into dist/zoneform.js, and what only some commands need into dist/chunks/, so that a start reads a few
// files instead of hundreds. The library, and tests of single modules, use the output of tsc beside it. Before that it bundles
// the pages that people open in a browser, each into a module dist/pages/NAME.js that holds it as text.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = join(ROOT, "cmd/main.ts");
const DIST = join(ROOT, "dist");
const CHUNKS = join(DIST, "chunks");
/** The pages, and whether one may call the server that it came from, and is shown before its script has run (`markup.tsx`). */
const PAGES = { emulator: { calls: true }, report: { calls: false, hasMarkup: true } };
/** The package of a function that dist/validators.js contains. */
const OF_VALIDATORS = join(ROOT, "node_modules/ajv/");

const ofPages = [];
for (const [name, traits] of Object.entries(PAGES)) ofPages.push(...(await bundlePage(name, traits)));

const bundle = await rolldown({
  input: { zoneform: MAIN },
  cwd: ROOT,
  platform: "node",
  // Optional peers, to install if the states are in PostgreSQL or on S3.
  external: ["pg", "@aws-sdk/client-s3"],
  plugins: [nodeModules(), partOfUndici()],
});
rmSync(CHUNKS, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: DIST,
  format: "esm",
  chunkFileNames: "chunks/[name]-[hash].js",
  // Everything that each start loads is in one file. The entry point stays out: it waits for the command to end, so nothing
  // that the command loads may wait for it.
  codeSplitting: { groups: [{ name: "start", tags: ["$initial"], test: (id) => id !== MAIN }] },
  // For --debug, so that stack traces name the sources. That does not need the text of the sources.
  sourcemap: true,
  sourcemapExcludeSources: true,
});
await bundle.close();
writeFileSync(
  join(DIST, "LICENSES.txt"),
  licences([...output.flatMap(({ moduleIds = [] }) => moduleIds), ...ofPages, OF_VALIDATORS]),
);

/** Writes dist/pages/NAME.js from pages/NAME/main.tsx and the style sheets. Returns the modules that are in it. */
async function bundlePage(name, { calls, hasMarkup = false }) {
  const built = await rolldown({ input: join(ROOT, "pages", name, "main.tsx"), cwd: ROOT, platform: "browser" });
  const { output } = await built.generate({ format: "iife", minify: true });
  await built.close();
  const [{ code, moduleIds }] = output;
  const script = code.trim();
  // Both would change how a browser reads the document around the script.
  if (/<\/script|<!--/i.test(script)) throw new Error(`the script of the page "${name}" holds the end of its element`);
  const style = ["parts", name]
    .map((folder) => readFileSync(join(ROOT, "pages", folder, "style.css"), "utf8"))
    .join("")
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*\n\s*/g, "");
  const page = { script, style, scriptHash: hash(script), styleHash: hash(style), calls };
  const PAGE = "\0page";
  const module = await rolldown({
    input: PAGE,
    cwd: ROOT,
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === PAGE ? id : undefined),
        load: (id) =>
          id === PAGE
            ? `import { pageOf } from ${JSON.stringify(join(ROOT, "pages/document.ts"))};
export const { pageDocument, policy } = pageOf(${JSON.stringify(page)});
${hasMarkup ? `export { markup } from ${JSON.stringify(join(ROOT, "pages", name, "markup.tsx"))};` : ""}`
            : undefined,
      },
    ],
  });
  mkdirSync(join(DIST, "pages"), { recursive: true });
  await module.write({ file: join(DIST, "pages", `${name}.js`), format: "esm" });
  await module.close();
  return moduleIds;
}

function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/**
 * Gives Node's modules to CommonJS packages without an import. An import reads every property of a module, and reading those
 * of `process` opens the standard streams. commander needs `child_process` only for subcommands that are other programs: we
 * have none, and loading it takes a tenth of a start.
 */
function nodeModules() {
  const PREFIX = "\0node-module:";
  const UNUSED = "\0node-module-unused";
  return {
    name: "node-modules",
    resolveId: (id, importer = "", { kind }) => {
      if (kind !== "require-call" || !(isBuiltin(id) || id.startsWith("node:"))) return undefined;
      const isUnused = id === "node:child_process" && importer.includes("/node_modules/commander/");
      return isUnused ? UNUSED : PREFIX + id;
    },
    load: (id) => {
      if (id === UNUSED) return "module.exports = {};";
      if (!id.startsWith(PREFIX)) return undefined;
      const name = JSON.stringify(id.slice(PREFIX.length));
      // An older Node does not have all of these modules. The caller expects an error for those.
      return `const found = process.getBuiltinModule(${name});
if (found === undefined) throw new Error("there is no module " + ${name});
module.exports = found;`;
    },
  };
}

/**
 * Bundles only the two parts of undici that `lib/service/undici-http.ts` uses: three quarters of it are fetch, caches,
 * mocks and more.
 */
function partOfUndici() {
  const PART = "\0part-of-undici";
  return {
    name: "part-of-undici",
    resolveId: (id) => (id === "undici" ? PART : undefined),
    load: (id) =>
      id === PART
        ? `export { default as Agent } from "undici/lib/dispatcher/agent.js";
export { default as buildConnector } from "undici/lib/core/connect.js";`
        : undefined,
  };
}

/** The licences of the packages in the bundle, because a licence must accompany its code. */
function licences(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const texts = [...folders]
    .toSorted((left, right) => (left < right ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
      return `${name} ${version}\n\n${text}\n`;
    });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
