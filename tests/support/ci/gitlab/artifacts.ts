import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { optionalObject, optionalText, texts } from "../../../../lib/core/decode.ts";
import type { JsonObject } from "../../../../lib/core/json.ts";
import type { JobRun } from "./shapes.ts";

type Kept = Pick<JobRun, "artifacts" | "dotenv">;

/** What a job keeps: the files of its artifacts that are there, and the variables of its dotenv report. */
export async function keptBy(job: JsonObject, code: number, workspace: string): Promise<Kept> {
  const artifacts = optionalObject(job, "artifacts");
  if (!artifacts || (code !== 0 && optionalText(artifacts, "when") !== "always")) return { artifacts: {}, dotenv: {} };
  const report = optionalText(optionalObject(artifacts, "reports") ?? {}, "dotenv");
  const dotenv = report === undefined ? "" : ((await filesIn(workspace, [report]))[report] ?? "");
  return { artifacts: await filesIn(workspace, texts(artifacts, "paths")), dotenv: variablesIn(dotenv) };
}

/** Gives a job the files that another one kept. */
export async function placeArtifacts({ artifacts }: Kept, workspace: string): Promise<void> {
  for (const [path, content] of Object.entries(artifacts)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), content);
  }
}

async function filesIn(workspace: string, paths: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of paths) {
    const isThere = await stat(join(workspace, path)).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (isThere) found[path] = await readFile(join(workspace, path), "utf8");
  }
  return found;
}

function variablesIn(dotenv: string): Record<string, string> {
  const lines = dotenv.split("\n").filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => [line.split("=", 1).join(), line.slice(line.indexOf("=") + 1)]));
}
