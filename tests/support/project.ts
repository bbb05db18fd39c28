import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, inject, onTestFinished } from "vitest";
import { type Emulator, parseSeed, type Seed, startEmulator } from "../../lib/emulator.ts";
import { type Ended, ROOT, run, type Running, start, type Surroundings } from "./command.ts";
import { at, type Json } from "./emulator.ts";

/** The two zones of the example. Zoneform creates the hostnames of the first, and an application those of the second. */
export const DEV = "023e105f4ecef8ad9ca31a8372d0c353";
export const APP = "9a7806061c88ada191ed06f989cc3dac";

/** Where the states of the example are, below its folder. */
export const STATES = ".zoneform/saas-edge";

/** The entry point that the example manages, below its zone. */
export const ENTRY_POINT = "rulesets/phases/http_request_firewall_managed/entrypoint";

/** How long it takes until every hostname of the example is active that can become so without help. */
const SETTLED_MILLISECONDS = 600_000;

/** How often to look for a request, because the service does not announce any. */
const LOOK_AGAIN_MILLISECONDS = 2;

/** A copy of the example project in a folder of its own, with its own service. */
export interface World {
  readonly folder: string;
  readonly emulator: Emulator;
  /** The environment of the command. */
  readonly surroundings: Surroundings & { readonly env: Readonly<Record<string, string>> };
  /** Runs the built command in the folder. */
  readonly zoneform: (...args: readonly string[]) => Promise<Ended>;
  /** The same, with these variables added to the environment. */
  readonly zoneformWith: (env: Readonly<Record<string, string>>, ...args: readonly string[]) => Promise<Ended>;
  /** Starts the built command in the folder. */
  readonly start: (...args: readonly string[]) => Running;
  /** Replaces a text in a file of the folder. Throws if the text is not there. */
  readonly edit: (file: string, from: string | RegExp, to: string) => Promise<void>;
  /** The content of the state files, without locks. */
  readonly states: () => Promise<Readonly<Record<string, string>>>;
  /** Calls the API below a zone, as the dashboard does, and returns the result. */
  readonly dashboard: (zone: string, method: string, path: string, body?: Json) => Json;
  /** A live hostname's record; null if there is none. */
  readonly hostname: (zone: string, name: string) => Json;
  /** How many writes of each `METHOD pattern` the service got. */
  readonly writes: () => Readonly<Record<string, number>>;
  /** Resolves once this many requests of this kind (`METHOD pattern`) have arrived. */
  readonly asked: (request: string, times: number) => Promise<void>;
}

/** Has something done at the end of a test. A test that runs beside others has to pass its own: `onTestFinished` of its context. */
export type AtEnd = (done: () => Promise<void>) => void;

/** A world in which nothing was applied yet. It is removed at the end of the test. */
export async function freshWorld(atEnd: AtEnd = onTestFinished): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-e2e-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await cp(join(ROOT, "examples/saas"), folder, { recursive: true });
  return worldIn(folder, await emulatorOf({ seed: await exampleSeed() }, atEnd));
}

/**
 * Returns a function that makes worlds in which the example was applied: with a state, with every hostname settled, and each
 * with its own service.
 */
export function appliedWorlds(): (atEnd?: AtEnd) => Promise<World> {
  let template = "";
  beforeAll(async () => {
    applied ??= applyExample();
    template = await applied;
  });
  return async (atEnd = onTestFinished) => {
    const folder = await mkdtemp(join(tmpdir(), "zoneform-e2e-"));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    await cp(join(template, "project"), folder, { recursive: true });
    await copyFile(join(template, "service.json"), join(folder, "service.json"));
    return worldIn(folder, await emulatorOf({ persistFile: join(folder, "service.json") }, atEnd));
  };
}

/** The folder in which the example was applied, once for all test files of a worker. */
let applied: Promise<string> | undefined;

async function applyExample(): Promise<string> {
  const template = await mkdtemp(join(inject("sharedFolder"), "applied-"));
  await cp(join(ROOT, "examples/saas"), join(template, "project"), { recursive: true });
  const emulator = await startEmulator({
    clock: "manual",
    seed: await exampleSeed(),
    persistFile: join(template, "service.json"),
  });
  const { code, stderr } = await run(["apply", "--auto-approve"], surroundingsOf(join(template, "project"), emulator));
  if (code !== 0) throw new Error(`the example cannot be applied:\n${stderr}`);
  emulator.advance(SETTLED_MILLISECONDS);
  await emulator.close();
  return template;
}

async function exampleSeed(): Promise<Seed> {
  return parseSeed(await readFile(join(ROOT, "examples/emulator.yaml"), "utf8"));
}

async function emulatorOf(options: { seed?: Seed; persistFile?: string }, atEnd: AtEnd): Promise<Emulator> {
  const emulator = await startEmulator({ clock: "manual", ...options });
  atEnd(() => emulator.close());
  return emulator;
}

function surroundingsOf(cwd: string, { url }: Emulator): World["surroundings"] {
  return { cwd, env: { CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: "demo-token" } };
}

function worldIn(folder: string, emulator: Emulator): World {
  const surroundings = surroundingsOf(folder, emulator);
  const dashboard: World["dashboard"] = (zone, method, path, body) => {
    const answer = emulator.admin.dashboard(method, `/zones/${zone}/${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`);
    return answer.body === "" ? null : (at(JSON.parse(answer.body), "result") ?? null);
  };
  return {
    folder,
    emulator,
    surroundings,
    zoneform: (...args) => run(args, surroundings),
    zoneformWith: (env, ...args) => run(args, { ...surroundings, env: { ...surroundings.env, ...env } }),
    start: (...args) => start(args, surroundings),
    edit: async (file, from, to) => {
      const before = await readFile(join(folder, file), "utf8");
      const after = before.replace(from, to);
      if (after === before) throw new Error(`${file} does not hold ${String(from)}`);
      await writeFile(join(folder, file), after);
    },
    states: () => filesIn(join(folder, STATES)),
    dashboard,
    hostname: (zone, name) => at(dashboard(zone, "GET", `custom_hostnames?hostname=${name}`), "0") ?? null,
    writes: () => {
      const counts = Object.entries(emulator.requests.counts());
      return Object.fromEntries(counts.filter(([request]) => !request.startsWith("GET ")));
    },
    asked: async (request, times) => {
      while ((emulator.requests.counts()[request] ?? 0) < times) await setTimeout(LOOK_AGAIN_MILLISECONDS);
    },
  };
}

async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) found[entry.name] = await readFile(join(folder, entry.name), "utf8");
  }
  return found;
}
