import type { FileSystem } from "./file-system.ts";

/** A commit's id as people write it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 12);
}

/** A revision to compare a plan with, and how to read it. */
export interface SinceRevision {
  /** The revision as the user named it. */
  readonly ref: string;
  /**
   * Opens the last commit that HEAD and the revision have in common, in the repository of a folder. Throws `Refusal` if
   * there is no repository, no such revision or no such commit.
   */
  readonly open: (folder: string) => Promise<Revision>;
}

/** An earlier commit of a repository. */
export interface Revision {
  readonly commit: string;
  /** Whether the named revision has commits that HEAD lacks. */
  readonly isBehind: boolean;
  /** The files of the repository as the commit has them, by their paths on this disk. Nothing else is there. */
  readonly files: Pick<FileSystem, "read" | "stream" | "list" | "stat" | "realPath">;
}
