import { execFile } from "node:child_process";
import { posix } from "node:path";
import { problem, refusal } from "../core/diagnostic.ts";
import { type Entry, errorCode } from "../core/file-system.ts";
import { bucketed } from "../core/lists.ts";
import { shellQuoted } from "../core/quote.ts";
import type { Revision, SinceRevision } from "../core/revision.ts";

/** How git is run. */
interface GitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** How long a command of git may take: it reads this disk, or fetches what a partial clone lacks. */
const TIMEOUT_MILLISECONDS = 120_000;

/** git asks nothing and takes no lock. It finds the repository by the folder, also in a hook, which names one. */
const ENVIRONMENT = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
} as const;

/** How many symbolic links to follow on the way to one file, as Linux does. */
const MOST_LINKS = 40;

/** A revision that is read through the `git` on the PATH, when it is opened. */
export function gitRevision(ref: string, options: GitOptions): SinceRevision {
  return { ref, open: (folder) => openRevision({ folder, options }, ref) };
}

/** Where git runs. */
interface Checkout {
  readonly folder: string;
  readonly options: GitOptions;
}

async function openRevision(checkout: Checkout, ref: string): Promise<Revision> {
  const root = lineOf(await git(checkout, ["rev-parse", "--show-toplevel"]));
  const named = await commitOf(checkout, ref);
  if (named === undefined) throw await unknownRevision(checkout, ref);
  const base = await tryGit(checkout, ["merge-base", "HEAD", named]);
  if (!base.ok) throw await noCommonCommit(checkout, ref);
  const commit = lineOf(base.output);
  return { commit, isBehind: commit !== named, files: await filesAt({ ...checkout, folder: root }, commit) };
}

/** The id of a commit, in full; undefined if the repository has no such one. */
async function commitOf(checkout: Checkout, ref: string): Promise<string | undefined> {
  const found = await tryGit(checkout, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  return found.ok ? lineOf(found.output) : undefined;
}

async function unknownRevision(checkout: Checkout, ref: string): Promise<Error> {
  const remote = `origin/${ref}`;
  const isRemote = (await commitOf(checkout, remote)) !== undefined;
  const help = isRemote ? { remedy: `did you mean ${remote}?` } : { commands: await fetching(checkout, ref) };
  return refusal(problem("unknown-revision", { ref: JSON.stringify(ref) }, help));
}

async function noCommonCommit(checkout: Checkout, ref: string): Promise<Error> {
  const commands = (await isShallow(checkout)) ? await fetching(checkout, ref) : [];
  return refusal(problem("no-common-commit", { ref: JSON.stringify(ref) }, { commands }));
}

async function isShallow(checkout: Checkout): Promise<boolean> {
  return lineOf(await git(checkout, ["rev-parse", "--is-shallow-repository"])) === "true";
}

/** The command that fetches a revision and what leads to it; none without a remote repository. */
async function fetching(checkout: Checkout, ref: string): Promise<readonly string[]> {
  const remotes = (await git(checkout, ["remote"])).toString().split("\n").filter(Boolean);
  const remote = remotes.find((name) => ref.startsWith(`${name}/`));
  const [from = remote] = remotes;
  if (from === undefined) return [];
  const branch = remote === undefined ? undefined : ref.slice(remote.length + 1);
  const what = branch === undefined ? [] : [`+refs/heads/${branch}:refs/remotes/${ref}`];
  const depth = (await isShallow(checkout)) ? ["--unshallow"] : [];
  return [["git", "fetch", ...depth, remote ?? from, ...what].map(shellQuoted).join(" ")];
}

/** What a commit has at a path. */
interface Node {
  readonly kind: Entry["kind"] | "link";
  readonly id: string;
}

/** The files of a commit, below the root of the checkout. A file is read when it is asked for, and kept. */
async function filesAt(checkout: Checkout, commit: string): Promise<Revision["files"]> {
  const { folder: root } = checkout;
  const nodes = nodesOf(await git(checkout, ["ls-tree", "-r", "-t", "-z", "--full-tree", commit]));
  const inside = bucketed([...nodes.keys()], parentOf);
  const blobs = new Map<string, Promise<Buffer>>();
  const blob = (id: string): Promise<Buffer> => {
    const known = blobs.get(id) ?? git(checkout, ["cat-file", "blob", id]);
    blobs.set(id, known);
    return known;
  };

  /** The path of an absolute one below the root, with every link resolved. Throws as a disk does. */
  const resolved = async (path: string): Promise<string> => {
    let steps = posix.relative(root, posix.resolve(path)).split("/").filter(Boolean);
    let at = "";
    for (let links = 0; steps.length > 0;) {
      const [step = "", ...rest] = steps;
      const next = posix.join(at, step);
      const node = nodes.get(next);
      if (node?.kind !== "link") {
        if (node === undefined) throw failure("ENOENT", path);
        [at, steps] = [next, rest];
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) throw failure("ELOOP", path);
      const target = posix.resolve(root, at, (await blob(node.id)).toString());
      [at, steps] = ["", [...posix.relative(root, target).split("/").filter(Boolean), ...rest]];
    }
    return at;
  };
  const find = async (path: string): Promise<Node> => {
    const below = await resolved(path);
    return below === "" ? { kind: "directory", id: commit } : (nodes.get(below) ?? fail("ENOENT", path));
  };
  const fileAt = async (path: string): Promise<Buffer> => {
    const { kind, id } = await find(path);
    return kind === "file" ? blob(id) : fail("EISDIR", path);
  };
  return {
    read: async (path, limitBytes) => {
      const bytes = await fileAt(path);
      return bytes.length <= limitBytes ? bytes : fail("EFBIG", path);
    },
    stream: async function* (path) {
      yield await fileAt(path);
    },
    list: async (path) => {
      const names = inside.get(await resolved(path)) ?? [];
      return names.map((name) => ({ name: posix.basename(name), kind: kindOf(nodes.get(name)) }));
    },
    stat: async (path) => {
      try {
        const node = await find(path);
        const { kind, id } = node;
        const sizeBytes = kind === "file" ? (await blob(id)).length : 0;
        return { kind: kindOf(node), sizeBytes, mode: 0o644, version: id };
      } catch (thrown) {
        if (errorCode(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
    },
    realPath: async (path) => posix.join(root, await resolved(path)),
  };
}

/** The entries of `git ls-tree -z`: `MODE TYPE ID<tab>PATH`. A submodule is a folder of another repository. */
function nodesOf(listing: Buffer): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>();
  for (const entry of listing.toString().split("\0")) {
    const [, mode = "", type, id = "", path = ""] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    const kind = mode === "120000" ? "link" : type === "blob" ? "file" : type === "tree" ? "directory" : "other";
    if (path !== "") nodes.set(path, { kind, id });
  }
  return nodes;
}

/** A link in a list is neither a file nor a folder, as on a disk. */
function kindOf(node: Node | undefined): Entry["kind"] {
  return node === undefined || node.kind === "link" ? "other" : node.kind;
}

function parentOf(name: string): string {
  const folder = posix.dirname(name);
  return folder === "." ? "" : folder;
}

/** The output of a command of git. Throws `Refusal` if there is no git, or if the command fails. */
async function git(checkout: Checkout, args: readonly string[]): Promise<Buffer> {
  const ended = await tryGit(checkout, args);
  if (ended.ok) return ended.output;
  const { folder } = checkout;
  throw refusal(problem("git-failed", { folder: JSON.stringify(folder), reason: ended.reason }));
}

type Ended = { readonly ok: true; readonly output: Buffer } | { readonly ok: false; readonly reason: string };

/** Runs git without a shell; it never asks anything, and writes nothing. */
function tryGit({ folder, options: { env, signal } }: Checkout, args: readonly string[]): Promise<Ended> {
  const options = {
    cwd: folder,
    env: { ...env, ...ENVIRONMENT },
    encoding: "buffer",
    maxBuffer: Number.MAX_SAFE_INTEGER,
    timeout: TIMEOUT_MILLISECONDS,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile("git", args, options, (thrown, output, messages) => {
      if (thrown === null) return resolve({ ok: true, output });
      if (signal?.aborted) return reject(thrown);
      if (errorCode(thrown) === "ENOENT") return reject(refusal(problem("git-missing", {})));
      if (thrown.killed)
        return resolve({ ok: false, reason: `it took longer than ${TIMEOUT_MILLISECONDS / 1000} seconds` });
      const [reason = "it ended without a message"] = messages.toString().split("\n").filter(Boolean);
      return resolve({ ok: false, reason: withoutPassword(reason) });
    });
    child.stdin?.end();
  });
}

/** A partial clone fetches what it lacks, and the address of its server may contain a password. */
function withoutPassword(text: string): string {
  return text.replaceAll(/:\/\/[^\s/]*@/g, "://");
}

function lineOf(output: Buffer): string {
  return output.toString().replace(/\n$/, "");
}

function fail(code: string, path: string): never {
  throw failure(code, path);
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
