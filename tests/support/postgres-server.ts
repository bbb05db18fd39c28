import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Debian's user without rights, because the server refuses to run as root. */
const NOBODY = 65_534;
const LOOK_AGAIN_MILLISECONDS = 20;

/** A PostgreSQL server of the tests, on loopback. */
export interface PostgresServer {
  readonly folder: string;
  readonly port: number;
  /** The address for a database user; `tester` may do everything. */
  address(user?: string): string;
  /** Stops it: `immediate` like a crash, `fast` after ending its sessions. */
  stop(how?: "immediate" | "fast"): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** The options of a server that a test does not share. */
export interface ServerOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines for `pg_hba.conf`. When absent, the server trusts everybody on loopback. */
  readonly rules?: readonly string[];
  /** Files to put beside the data, which only the server may read. */
  readonly files?: Readonly<Record<string, string>>;
  /** The primary server, which makes this one its standby. */
  readonly standbyOf?: PostgresServer;
}

/** The folder of the server's binaries; undefined if this machine has none. */
export function findBinaries(): string | undefined {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((left, right) => Number(right) - Number(left)) : [];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...versions.map((each) => join(base, each, "bin"))];
  return folders.find((folder) =>
    ["initdb", "pg_ctl", "postgres", "pg_basebackup"].every((name) => existsSync(join(folder, name))),
  );
}

/** Why tests of PostgreSQL are skipped, to add to their titles; undefined if they run. */
export const NO_POSTGRES: string | undefined =
  findBinaries() === undefined ? ", skipped: there is no initdb on the PATH or in /usr/lib/postgresql" : undefined;

/** Creates and starts a server. The caller removes it. */
export async function startServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const binaries = findBinaries();
  if (binaries === undefined) throw new Error(NO_POSTGRES);
  const folder = await mkdtemp(join(tmpdir(), "zoneform-postgres-"));
  if (isRoot()) await chown(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const port = await freePort();
  const tool = (name: string, ...args: string[]): Promise<unknown> => asUser(join(binaries, name), args);
  const settings = { fsync: "off", listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200" };
  const flags = Object.entries({ ...settings, ...options.settings }).map(([name, value]) => `-c ${name}='${value}'`);

  if (options.standbyOf) {
    await tool(
      "pg_basebackup",
      "-D",
      data,
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
      "--no-sync",
      "-d",
      options.standbyOf.address(),
    );
  } else {
    await tool("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C");
  }
  for (const [name, text] of Object.entries(options.files ?? {})) await put(join(data, name), text);
  if (options.rules) await put(join(data, "pg_hba.conf"), `${options.rules.join("\n")}\n`);

  const start = async (): Promise<void> => {
    await tool("pg_ctl", "-D", data, "-l", join(folder, "log"), "-w", "-o", `-p ${port} ${flags.join(" ")}`, "start");
  };
  const stop = async (how: "immediate" | "fast" = "fast"): Promise<void> => {
    if (existsSync(join(data, "postmaster.pid"))) await tool("pg_ctl", "-D", data, "-m", how, "-w", "stop");
  };
  await start().catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  return {
    folder,
    port,
    address: (user = "tester") => `postgres://${user}@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove: async () => {
      await stop("immediate");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The file in the run's shared folder that says where the server is. */
const SHARED = "postgres.json";

/** The address of the server that all tests of this run share. The first caller starts it, and the end of the run stops it. */
export async function sharedServer(sharedFolder: string): Promise<string> {
  const [turn, place] = [join(sharedFolder, "postgres.turn"), join(sharedFolder, SHARED)];
  const isFirst = await mkdir(turn).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const { folder, address } = await startServer();
    stopWithRun(folder);
    await writeFile(`${place}.new`, JSON.stringify({ folder, address: address() }));
    await rename(`${place}.new`, place);
  }
  while (!existsSync(place)) await setTimeout(LOOK_AGAIN_MILLISECONDS);
  return field(JSON.parse(await readFile(place, "utf8")), "address");
}

/** Stops the server even if the run is killed: a small process waits for the end of the run. */
function stopWithRun(folder: string): void {
  const script = `while kill -0 "$1" 2>/dev/null && [ -d "$2" ]; do sleep 1; done
[ ! -f "$2/data/postmaster.pid" ] || kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")"
rm -rf "$2"`;
  const watching = spawn("sh", ["-c", script, "sh", String(process.ppid), folder], { detached: true, stdio: "ignore" });
  watching.unref();
}

/** Stops the server of this run, if one was started. */
export async function stopSharedServer(sharedFolder: string): Promise<void> {
  const place = join(sharedFolder, SHARED);
  if (!existsSync(place)) return;
  const folder = field(JSON.parse(await readFile(place, "utf8")), "folder");
  await asUser(join(findBinaries() ?? "", "pg_ctl"), ["-D", join(folder, "data"), "-m", "immediate", "-w", "stop"]);
  await rm(folder, { recursive: true, force: true });
}

function field(from: unknown, name: string): string {
  const value: unknown =
    typeof from === "object" && from !== null ? Object.entries(from).find(([key]) => key === name)?.[1] : undefined;
  if (typeof value !== "string") throw new TypeError(`${SHARED} has no ${name}`);
  return value;
}

async function asUser(program: string, args: readonly string[]): Promise<unknown> {
  const [command, ...rest] = isRoot()
    ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", program, ...args]
    : [program, ...args];
  // The server inherits folder and environment. Its user may not even read the folder of the test.
  return run(command ?? program, rest, { cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" } });
}

async function put(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600 });
  if (isRoot()) await chown(path, NOBODY, NOBODY);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
