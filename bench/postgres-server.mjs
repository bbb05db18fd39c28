// A PostgreSQL server for benches, on loopback.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const NOBODY = 65_534;

/** Starts a server; undefined if this machine has no binaries. If we are root, it runs as another user, because it refuses root. */
export async function startPostgres() {
  const binaries = findBinaries();
  if (binaries === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-postgres-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const as = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
  const run = (name, ...args) => {
    const [command, ...rest] = [...as, join(binaries, name), ...args];
    execFileSync(command, rest, { cwd: "/", stdio: "ignore" });
  };
  const data = join(folder, "data");
  const port = await freePort();
  run("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C");
  const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  run("pg_ctl", "-D", data, "-l", `${data}.log`, "-w", "-o", flags, "start");
  return {
    address: `postgres://tester@127.0.0.1:${port}/postgres?sslmode=disable`,
    remove: () => {
      run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findBinaries() {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((left, right) => Number(right) - Number(left)) : [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...versions.map((each) => join(base, each, "bin"))];
  return folders.find((each) => ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(each, name))));
}

/** A port of this machine that nothing listens on. */
export async function freePort() {
  const listening = createServer();
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address();
  await new Promise((resolve) => listening.close(resolve));
  return port;
}
