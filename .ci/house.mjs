// How large the house is, room by room: `npm run house -- [--against COMMIT]`. It counts files, lines, exports that one file
// imports, functions of more than 60 lines, and the files of which a function runs when an apply changes one field of one
// hostname. With --against it builds that commit too, and shows in brackets what it had.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { parseSync, Visitor } from "rolldown/utils";

const ROOT = resolve(import.meta.dirname, "..");
const COLUMNS = ["files", "lines", "single imports", "long functions", "run for a PATCH"];
const { values } = parseArgs({ options: { against: { type: "string" } } });
const temporary = mkdtempSync(join(tmpdir(), "zoneform-house-"));
process.on("exit", () => rmSync(temporary, { recursive: true }));
const [now, before] = [await measure(ROOT), values.against && (await measure(checkOut(values.against)))];
console.log("room".padEnd(20), ...COLUMNS.map((column) => column.padStart(16)));
const rooms = new Set([...now.keys(), ...(before?.keys() ?? [])]);
for (const room of [...rooms].sort((left, right) => left.localeCompare(right, "en"))) {
  const cells = COLUMNS.map((column) => [now, before].map((each) => each?.get(room)?.[column] ?? 0));
  const shown = cells.map(([count, then]) => (before && then !== count ? `${count} (${then})` : `${count}`));
  console.log(room.padEnd(20), ...shown.map((each) => each.padStart(16)));
}

function checkOut(commit) {
  const folder = mkdtempSync(join(temporary, "then-"));
  execFileSync("tar", ["-xC", folder], { input: execFileSync("git", ["archive", commit], { maxBuffer: 2 ** 30 }) });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: folder, stdio: "inherit" });
  return folder;
}

async function measure(folder) {
  const [rooms, importers] = [new Map(), new Map()];
  const count = (path, column, more = 1) => {
    for (const room of [/^(?:lib|pages)\/[^/]+(?=\/)|^lib|^cmd|^pages/.exec(path)[0], "together"])
      rooms.set(room, { ...rooms.get(room), [column]: (rooms.get(room)?.[column] ?? 0) + more });
  };
  const tops = ["cmd", "lib", "pages"].filter((top) => existsSync(join(folder, top)));
  const found = execFileSync("find", [...tops, "-type", "f"], { cwd: folder, encoding: "utf8" });
  for (const path of found.trim().split("\n")) {
    const text = readFileSync(join(folder, path), "utf8");
    count(path, "files");
    count(path, "lines", text.split("\n").length - 1);
    const { program, module } = parseSync(path, text);
    const see = ({ start, end }) => text.slice(start, end).split("\n").length > 60 && count(path, "long functions");
    new Visitor({ FunctionDeclaration: see, FunctionExpression: see, ArrowFunctionExpression: see }).visit(program);
    for (const { moduleRequest, entries } of module.staticImports)
      for (const { importName } of entries) {
        const name = `${join(dirname(path), moduleRequest.value)} ${importName.name}`;
        importers.set(name, (importers.get(name) ?? new Set()).add(path));
      }
  }
  for (const [name, { size }] of importers) if (size === 1 && /\.tsx? /.test(name)) count(name, "single imports");
  for (const path of await filesThatRun(folder)) count(path, "run for a PATCH");
  return rooms;
}

/** The files with a named function that runs while the command of `folder` applies one changed field, by V8's coverage. */
async function filesThatRun(folder) {
  const { startEmulator } = await import(join(folder, "dist/lib/emulator.js"));
  const emulator = await startEmulator({ clock: "manual" });
  Object.assign(process.env, { CLOUDFLARE_BASE_URL: emulator.url, CLOUDFLARE_API_TOKEN: "emulator-token" });
  const work = mkdtempSync(join(temporary, "work-"));
  const write = (name, content) => writeFileSync(join(work, name), JSON.stringify(content));
  const zone = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.dev" };
  write("zoneform.yaml", { version: 1, project: "house", zones: ["zone.yaml"] });
  for (const min_tls_version of ["1.2", "1.3"]) {
    const ssl = { method: "http", type: "dv", settings: { min_tls_version } };
    const custom_hostnames = { lifecycle: "zoneform", entries: [{ hostname: "app.customer-one.net", ssl }] };
    write("zone.yaml", { version: 1, zone, custom_hostnames });
    process.env.NODE_V8_COVERAGE = join(work, min_tls_version);
    await promisify(execFile)("node", [join(folder, "dist/cmd/main.js"), "apply", "--auto-approve"], { cwd: work });
    emulator.advance(600_000);
  }
  await emulator.close();
  return readdirSync(join(work, "1.3"))
    .flatMap((name) => JSON.parse(readFileSync(join(work, "1.3", name), "utf8")).result)
    .filter(({ functions }) => functions.some((each) => each.functionName !== "" && each.ranges[0].count > 0))
    .flatMap(({ url }) => /\/dist\/((?:lib|cmd)\/.*)/.exec(url)?.[1] ?? []);
}
