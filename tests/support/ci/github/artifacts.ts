import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Records } from "./records.ts";
import type { Artifact } from "./shapes.ts";

const execute = promisify(execFile);

/** Keeps a file, or what is in a folder, as an artifact of a run. */
export async function keepArtifact(
  { artifacts, nextId }: Pick<Records, "artifacts" | "nextId">,
  { name, run, createdAt }: Pick<Artifact, "name" | "run" | "createdAt">,
  { path, overwrites, temp }: { readonly path: string; readonly overwrites: boolean; readonly temp: string },
): Promise<void> {
  if (!existsSync(path)) throw new Error(`there is nothing to upload at ${path}`);
  const file = join(temp, "_upload.zip");
  await rm(file, { force: true });
  await ((await stat(path)).isDirectory()
    ? execute("zip", ["-q", "-r", file, "."], { cwd: path })
    : execute("zip", ["-q", "-j", file, path]));
  const before = artifacts.findIndex((each) => each.run === run && each.name === name);
  if (before !== -1) {
    if (!overwrites) throw new Error(`the run has an artifact ${name} already`);
    artifacts.splice(before, 1);
  }
  const zip = await readFile(file);
  const digest = `sha256:${createHash("sha256").update(zip).digest("hex")}`;
  artifacts.push({ id: nextId(), name, run, createdAt, zip, digest, isExpired: false });
}

/** Unpacks an artifact of a run into a folder. */
export async function unpackArtifact(
  { artifacts }: Pick<Records, "artifacts">,
  { name, run }: Pick<Artifact, "name" | "run">,
  { into, temp }: { readonly into: string; readonly temp: string },
): Promise<void> {
  const found = artifacts.find((each) => each.run === run && each.name === name);
  if (!found) throw new Error(`the run has no artifact ${name}`);
  const zip = join(temp, "_artifact.zip");
  await writeFile(zip, found.zip);
  await execute("unzip", ["-q", zip, "-d", into]);
}
