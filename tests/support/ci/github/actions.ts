import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { gitIn } from "../git.ts";
import { keepArtifact, unpackArtifact } from "./artifacts.ts";
import type { Machine } from "./machine.ts";
import type { Event, WorkflowRun } from "./shapes.ts";

type Inputs = Readonly<Record<string, string>>;

/** Where a job works. */
export interface Folders {
  readonly workspace: string;
  readonly temp: string;
}

/** What an action of GitHub's does, for the inputs that the examples give it. Throws where it would fail. */
export async function useAction(
  { place, records, env }: Machine,
  { uses, inputs, run }: { readonly uses: string; readonly inputs: Inputs; readonly run: WorkflowRun },
  { workspace, temp }: Folders,
): Promise<void> {
  const [action = "", version = ""] = uses.split("@");
  if (!/^[0-9a-f]{40}$/.test(version)) throw new Error(`${uses} is not pinned to a commit`);
  const { name = "", path } = inputs;
  switch (action) {
    case "actions/checkout":
      return checkOut(inputs, run.event, { folder: join(workspace, path ?? "."), origin: place.origin, env });
    case "actions/setup-node":
      if (inputs["node-version"] === undefined) throw new Error("setup-node gets no version");
      return undefined;
    case "actions/upload-artifact":
      return keepArtifact(
        records,
        { name, run: run.id, createdAt: place.tick() },
        { path: path ?? "", overwrites: inputs["overwrite"] === "true", temp },
      );
    case "actions/download-artifact":
      return unpackArtifact(records, { name, run: run.id }, { into: path ?? workspace, temp });
    default:
      throw new Error(`${action} is none that the tests know`);
  }
}

async function checkOut(
  inputs: Inputs,
  event: Event,
  { folder, origin, env }: { readonly folder: string; readonly origin: string; readonly env: Machine["env"] },
): Promise<void> {
  if (inputs["persist-credentials"] !== "false") throw new Error("the checkout leaves its credentials behind");
  await mkdir(folder, { recursive: true });
  const git = gitIn(folder, () => env);
  await git("init", "--quiet");
  const depth = inputs["fetch-depth"] ?? "1";
  const ref = inputs["ref"] ?? (event.name === "pull_request" ? event.ref : event.sha);
  await git("fetch", "--quiet", ...(depth === "0" ? [] : ["--depth", depth]), `file://${origin}`, ref);
  const sparse = inputs["sparse-checkout"];
  if (sparse !== undefined) await git("sparse-checkout", "set", ...sparse.trim().split("\n"));
  await git("checkout", "--quiet", "FETCH_HEAD");
}
