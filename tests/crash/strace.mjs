// Runs the command under strace, to list the calls that it makes on our files, and to kill it at one of them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { start } from "./command.mjs";

/** Every system call that writes a file, syncs it to disk, or changes its names. */
const CALLS =
  "openat,write,pwrite64,fdatasync,fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat";
const FIXED_NAMES = resolve(import.meta.dirname, "fixed-names.mjs");
const LINE = /^\d+ +(\w+)\((.*)$/;

/** Why calls cannot be traced here; undefined if they can. */
export function whyNoStrace() {
  if (process.platform !== "linux") return "strace is for Linux";
  const tried = spawnSync("strace", ["-f", "-qq", "-e", "trace=openat", "-o", "/dev/null", "true"]);
  if (tried.error) return "strace is not installed";
  return tried.status === 0 ? undefined : `strace may not trace here: ${String(tried.stderr).trim()}`;
}

/**
 * Runs the command and returns its calls that change something below the folder, in order: the name of the call, its number
 * among the calls of that name on the `paths`, and the path. A call that only reads is left out, because a kill there is the
 * same as one at the next call. Another thread reads a lock's folder.
 */
export async function callsOf(command, { cwd, env }, log) {
  const ended = await traced(["-e", `trace=${CALLS}`, "-y"], command, { cwd, env }, log);
  if (ended.code !== 0) throw new Error(`the command ends with ${ended.code ?? ended.signal}: ${ended.printed}`);
  const found = linesOf(log).flatMap((line) => {
    const [, name, rest] = LINE.exec(line) ?? [];
    const paths = [...(rest ?? "").matchAll(/["<]([^">]*)[">]/g)].map(([, path]) => path);
    const ours = paths.filter((path) => path.startsWith(`${cwd}/.zoneform`));
    return name === undefined || ours.length === 0 ? [] : [{ name, ours, isRead: isRead(name, rest) }];
  });
  const paths = new Map();
  for (const { name, ours, isRead } of found) {
    if (!isRead) paths.set(name, new Set([...(paths.get(name) ?? []), ...ours]));
  }
  const counts = new Map();
  const calls = found
    .filter(({ name, ours }) => ours.some((path) => paths.get(name)?.has(path)))
    .map(({ name, ours, isRead }) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return {
        name,
        number: counts.get(name),
        where: ours.at(-1).slice(cwd.length + 1),
        isRead,
        paths: paths.get(name),
      };
    });
  return calls.filter((call) => !call.isRead);
}

function isRead(name, rest) {
  return name === "openat" && !rest.includes("O_CREAT");
}

/** Runs the command and kills it when it is about to make the call. Throws if it lives on, or dies elsewhere. */
export async function killAt({ name, number, where, paths }, command, { cwd, env }, log) {
  const inject = ["-e", `trace=${name}`, "-e", `inject=${name}:signal=SIGKILL:when=${number}`, "-y"];
  const ended = await traced([...inject, ...[...paths].flatMap((path) => ["-P", path])], command, { cwd, env }, log);
  if (ended.signal !== "SIGKILL") throw new Error(`${name} ${number} (${where}) was not met: ${ended.printed}`);
  const last =
    linesOf(log)
      .filter((line) => LINE.test(line))
      .at(-1) ?? "";
  if (!timeless(last).includes(timeless(where)))
    throw new Error(`${name} ${number} was to be at ${where}, and was ${last}`);
}

/** Replaces times (ms since the epoch), because some names contain one and it differs in each run. */
function timeless(text) {
  return text.replace(/\b\d{13}\b/g, "TIME");
}

/** Runs Node under strace, with one thread for the disk, because strace counts by thread and the calls have to come in the same order. */
function traced(options, [node, ...rest], { cwd, env }, log) {
  const strace = ["strace", "-f", "-qq", "-s", "0", "-o", log, ...options];
  const surroundings = { cwd, env: { ...env, UV_THREADPOOL_SIZE: "1" } };
  return start([...strace, node, "--import", FIXED_NAMES, ...rest], surroundings).ended;
}

function linesOf(log) {
  return readFileSync(log, "utf8").split("\n");
}
