// Bundles the command into dist/zoneform.js, and into dist/chunks/ what only some commands need. A start then reads a
// few files instead of hundreds. The library, and tests of single modules, use tsc's output beside it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = join(ROOT, "cmd/main.ts");
const DIST = join(ROOT, "dist");
const CHUNKS = join(DIST, "chunks");
/** dist/validators.js contains a function of this package. */
const OF_VALIDATORS = join(ROOT, "node_modules/ajv/");

const bundle = await rolldown({
  input: { zoneform: MAIN },
  cwd: ROOT,
  platform: "node",
  // Optional peers: whoever keeps states in PostgreSQL or on S3 installs one.
  external: ["pg", "@aws-sdk/client-s3"],
  plugins: [nodeModules(), partOfUndici()],
});
rmSync(CHUNKS, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: DIST,
  format: "esm",
  chunkFileNames: "chunks/[name]-[hash].js",
  // Everything that each start loads is in one file. The entry is not: it waits for the command to end, so nothing that
  // the command loads may wait for it.
  codeSplitting: { groups: [{ name: "start", tags: ["$initial"], test: (id) => id !== MAIN }] },
  // For --debug: stack traces name the sources. That does not need the sources' text.
  sourcemap: true,
  sourcemapExcludeSources: true,
});
await bundle.close();
writeFileSync(
  join(DIST, "LICENSES.txt"),
  licences([...output.flatMap(({ moduleIds = [] }) => moduleIds), OF_VALIDATORS]),
);

/**
 * Gives CommonJS packages Node's modules without an import, because an import reads every property of a module: reading
 * those of `process` opens the standard streams. commander asks for `child_process`, for subcommands that are programs
 * of their own: there are none, and loading it is a tenth of a start.
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
      // An older Node does not have all of them; the caller expects an error then.
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

/** The licences of the packages whose code is in the bundle: each must accompany its code. */
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
