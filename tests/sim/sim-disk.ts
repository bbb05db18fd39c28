import { dirname } from "node:path/posix";
import type { Dice } from "./dice.ts";

/** What a power cut does to everything that was not synced. */
export type CutMode = "lose" | "keep" | "torn" | "mixed";

/** The content of a file, whatever its names are. Bytes are only ever appended. */
export interface Inode {
  /** No other content has it. */
  readonly number: number;
  bytes: Buffer;
  readonly mode: number;
  /** How many of its bytes would survive a power cut. */
  synced: number;
  /** Bytes whose sync failed: the system believes that they are on the disk, but they are not. */
  holes: { from: number; to: number }[];
}

/** A change of a folder's entries that is not synced: the name points to the content, or to nothing. */
interface EntryChange {
  readonly path: string;
  readonly becomes: Inode | "folder" | undefined;
  /** The name that a rename removes at the same time. */
  readonly from?: string;
}

/** What stands in a folder. */
interface Entry {
  readonly name: string;
  readonly kind: "file" | "directory";
}

/** The disk of the simulated machine: what processes see, and what a power cut would leave. */
export interface SimDisk {
  /** For a new content. */
  newNumber(): number;
  file(path: string): Inode | undefined;
  /** What would be there after the worst power cut. */
  durable(path: string): Buffer | undefined;
  /** The paths of all that would be there then. */
  durablePaths(): Iterable<string>;
  isFolder(path: string): boolean;
  entries(folder: string): readonly Entry[];
  change(change: EntryChange): void;
  syncFolder(folder: string): void;
  /** Cuts the power and restores it. */
  cut(mode: CutMode, dice: Dice): void;
  /** Every file by its path. */
  files(): ReadonlyMap<string, Inode>;
}

type Names = Map<string, Inode | "folder">;

/** An empty disk. The root and the given folder have always existed. */
export function openDisk(root: string): SimDisk {
  let seen: Names = new Map([[root, "folder"]]);
  let kept: Names = new Map(seen);
  let unsynced: EntryChange[] = [];
  let numbers = 0;

  const fileIn = (names: Names, path: string): Inode | undefined => {
    const found = names.get(path);
    return found === "folder" ? undefined : found;
  };

  return {
    newNumber: () => (numbers += 1),
    file: (path) => fileIn(seen, path),
    durable: (path) => {
      const inode = isReachable(kept, path, root) ? fileIn(kept, path) : undefined;
      return inode && wholeBytes(inode, inode.synced);
    },
    durablePaths: () => [...kept.keys()].filter((path) => isReachable(kept, path, root)),
    isFolder: (path) => seen.get(path) === "folder",
    entries: (folder) => {
      const start = `${folder}/`;
      const found: Entry[] = [];
      for (const [path, what] of seen) {
        if (!path.startsWith(start) || path.includes("/", start.length)) continue;
        found.push({ name: path.slice(start.length), kind: what === "folder" ? "directory" : "file" });
      }
      return found.sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    change: (change) => {
      perform(seen, change);
      unsynced.push(change);
    },
    syncFolder: (folder) => {
      for (const change of unsynced) if (dirname(change.path) === folder) perform(kept, change);
      unsynced = unsynced.filter(({ path }) => dirname(path) !== folder);
    },
    cut: (mode, dice) => {
      for (const change of chosen(unsynced, mode, dice)) perform(kept, change);
      unsynced = [];
      kept = new Map([...kept].filter(([path]) => isReachable(kept, path, root)));
      for (const inode of new Set(kept.values())) if (inode !== "folder") tear(inode, mode, dice);
      seen = new Map(kept);
    },
    files: () => new Map([...seen].flatMap(([path, what]) => (what === "folder" ? [] : [[path, what] as const]))),
  };
}

function perform(names: Names, { path, becomes, from }: EntryChange): void {
  if (from !== undefined) names.delete(from);
  if (becomes === undefined) names.delete(path);
  else names.set(path, becomes);
}

function isReachable(names: Names, path: string, root: string): boolean {
  const folder = dirname(path);
  return path === root || folder === root || (names.get(folder) === "folder" && isReachable(names, folder, root));
}

/** The unsynced changes that happened to reach the disk. A file system may write them in any order. */
function chosen(changes: readonly EntryChange[], mode: CutMode, dice: Dice): readonly EntryChange[] {
  switch (mode) {
    case "lose":
      return [];
    case "keep":
      return changes;
    case "torn":
      return changes.slice(0, dice.below(changes.length + 1));
    case "mixed":
      return changes.filter(() => dice.chance(0.5));
    default:
      return mode satisfies never;
  }
}

function tear(inode: Inode, mode: CutMode, dice: Dice): void {
  const loose = inode.bytes.length - inode.synced;
  const extra = mode === "lose" ? 0 : mode === "keep" ? loose : dice.below(loose + 1);
  inode.bytes = wholeBytes(inode, inode.synced + extra);
  inode.synced = inode.bytes.length;
  inode.holes = [];
}

function wholeBytes({ bytes, holes }: Inode, length: number): Buffer {
  if (holes.length === 0) return bytes.subarray(0, length);
  const copy = Buffer.from(bytes.subarray(0, length));
  for (const { from, to } of holes) copy.fill(0, from, Math.min(to, length));
  return copy;
}
