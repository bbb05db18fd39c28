import { type Diagnostic, error, inOrder, problem, Refusal, refusal } from "../../lib/core/diagnostic.ts";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { defined } from "../../lib/core/json.ts";
import { errorCode } from "../../lib/core/file-system.ts";
import {
  type BehaviourName,
  type Emulator,
  type EmulatorOptions,
  faultText,
  InputError,
  NotLoopbackError,
  parseSeed,
  PersistFileError,
  openFaultPlaces,
  type Seed,
  startEmulator,
} from "../../lib/emulator.ts";
import { disk } from "../../lib/real/disk.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { errorText } from "../../lib/report/lines/diagnostics.ts";
import { type Context, print } from "../context.ts";
import { cannotRead } from "../files.ts";
import { counted } from "../../lib/core/words.ts";
import type { CommonOptions } from "../flags.ts";

interface EmulatorFlags extends CommonOptions {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly behaviour: BehaviourName;
  readonly clockRate: number;
  readonly startTime?: string;
  readonly persist?: string;
}

/** Runs `zoneform emulator`. */
export async function runEmulator(context: Context, flags: EmulatorFlags, command: Command): Promise<void> {
  const file = flags.seed === undefined ? undefined : await readSeedFile(context.cwd, flags.seed);
  const { debug } = command.optsWithGlobals<CommonOptions>();
  const emulator = await startOrRefuse(file, {
    report: (mistake) => {
      const detail = debug ? errorText(mistake) : `${escape(String(mistake))}; --debug prints the stack`;
      print(context.stderr, `error: the emulator failed and answered with status 500: ${detail}`);
    },
    host: flags.host,
    port: flags.port,
    behaviour: flags.behaviour,
    clockRate: flags.clockRate,
    ...defined({
      adminToken: adminTokenOf(context),
      seed: file?.seed,
      startTime: flags.startTime,
      persistFile: flags.persist === undefined ? undefined : resolve(context.cwd, flags.persist),
    }),
  });
  const hasTokens = file === undefined || (file.seed.tokens ?? []).length > 0;
  print(context.stdout, startScreen(emulator, { seedFile: flags.seed, persistFile: flags.persist, hasTokens }));
  await waitUntilStopped(context.signal);
  await emulator.close();
}

/** A seed file, as read. */
interface SeedFile {
  readonly name: string;
  readonly text: string;
  readonly seed: Seed;
}

/** A seed is written by hand; a longer file is something else. */
const LARGEST_SEED_BYTES = 64 * 1024 * 1024;

async function readSeedFile(cwd: string, name: string): Promise<SeedFile> {
  const text = await readText(cwd, name);
  return { name, text, seed: refusing({ name, text }, () => parseSeed(text)) };
}

async function readText(cwd: string, name: string): Promise<string> {
  try {
    return Buffer.from(await disk().read(resolve(cwd, name), LARGEST_SEED_BYTES)).toString("utf8");
  } catch (cause) {
    throw new Refusal([cannotRead(name, cause)], 1, { cause });
  }
}

function refusing<T>(file: Omit<SeedFile, "seed">, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw asRefusal(cause, file);
  }
}

/** Starts the emulator. Turns a user's mistake into a refusal that says how to correct it. */
async function startOrRefuse(file: SeedFile | undefined, options: EmulatorOptions): Promise<Emulator> {
  try {
    return await startEmulator(options);
  } catch (cause) {
    if (cause instanceof NotLoopbackError)
      throw refusal(problem("not-loopback", { message: cause.message }), 1, { cause });
    const { host = "", port = 0, persistFile = "" } = options;
    if (cause instanceof PersistFileError) {
      const values = { file: basename(persistFile), fault: cause.message };
      throw refusal(problem("bad-persist-file", values), 1, { cause });
    }
    const reason = LISTEN_FAILURES.get(errorCode(cause) ?? "");
    if (reason !== undefined)
      throw refusal(problem("cannot-listen", { address: `${host}:${port}`, reason }), 1, { cause });
    throw file === undefined ? cause : asRefusal(cause, file);
  }
}

/** The faults of a seed as diagnostics at their places; any other error as it is. */
function asRefusal(cause: unknown, { name, text }: Omit<SeedFile, "seed">): unknown {
  if (!(cause instanceof InputError)) return cause;
  const placeOf = openFaultPlaces(text);
  const diagnostics = cause.faults.map((fault): Diagnostic => {
    const at = { file: name, ...placeOf(fault) };
    return error(problem("bad-seed", { message: faultText(fault) }, { remedy: fault.remedy ?? "", at }));
  });
  return new Refusal(inOrder(diagnostics), 1, { cause });
}

const LISTEN_FAILURES: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "another program listens there"],
  ["EADDRNOTAVAIL", "this machine does not have that address"],
  ["EACCES", "permission denied"],
  ["ENOTFOUND", "there is no such address"],
]);

/** The variable with the token of the admin API. */
const ADMIN_TOKEN = "ZONEFORM_EMULATOR_TOKEN";

/** Shorter tokens can be guessed. */
const SHORTEST_ADMIN_TOKEN = 16;

function adminTokenOf({ env }: Context): string | undefined {
  const token = env[ADMIN_TOKEN];
  if (token === undefined || token.length >= SHORTEST_ADMIN_TOKEN) return token;
  const values = { variable: ADMIN_TOKEN, length: token.length, least: SHORTEST_ADMIN_TOKEN };
  throw refusal(problem("bad-admin-token", values));
}

function waitUntilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The origin of a running emulator's contents. */
interface Origin {
  readonly seedFile: string | undefined;
  readonly persistFile: string | undefined;
  /** False for a seed without tokens: every call would be refused. */
  readonly hasTokens: boolean;
}

/** How many zones to list before counting the rest. */
const MOST_ZONES = 10;

/** What the emulator prints once it listens. Scripts read the first two lines. */
function startScreen(emulator: Emulator, origin: Origin): string {
  const isDefault = origin.seedFile === undefined && !emulator.isRestored;
  return [
    `listening on ${emulator.url}`,
    `admin API on ${emulator.adminUrl}`,
    `page on ${emulator.pageUrl}`,
    "",
    ...contents(emulator, origin),
    "",
    isDefault ? "Paste this into another terminal:" : "Paste this into another terminal, with one of its tokens:",
    `  export CLOUDFLARE_BASE_URL=${emulator.url}`,
    `  export CLOUDFLARE_API_TOKEN=${isDefault ? DEFAULT_TOKEN : tokenHint(origin)}`,
    "",
    "Check that it answers:",
    '  curl -s -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" "$CLOUDFLARE_BASE_URL/zones"',
    "Then plan a project that uses this zone; docs/emulator.md shows a small one:",
    "  zoneform plan",
    "",
    `Press Ctrl-C to stop. ${origin.persistFile === undefined ? "Everything is lost then; --persist FILE keeps it." : `Everything is kept in ${escape(origin.persistFile)}.`}`,
  ].join("\n");
}

/** Tokens are not printed: a seed may use a real one, so that scripts work unchanged. */
function tokenHint({ seedFile }: Origin): string {
  return seedFile === undefined ? "..." : `...   # a token of ${escape(seedFile)}`;
}

/** The first token of the default seed. */
const DEFAULT_TOKEN = "emulator-token";

function contents(emulator: Emulator, { seedFile, persistFile, hasTokens }: Origin): readonly string[] {
  const zones = emulator.admin.zones();
  const lines = zones.slice(0, MOST_ZONES).map(({ id, name, hostnames }) => {
    const size = hostnames === 0 ? "" : `, ${counted(hostnames, "custom hostname")}`;
    return `  zone   ${escape(name)}, id ${id}${size}`;
  });
  if (zones.length > MOST_ZONES) lines.push(`  and ${zones.length - MOST_ZONES} more zones`);
  if (!emulator.isRestored && !hasTokens)
    lines.push("  no tokens, so every call is refused: add tokens: [{ value: demo-token }]");
  if (emulator.isRestored) return [`Restored from ${escape(persistFile ?? "")}; the seed is not read:`, ...lines];
  if (seedFile !== undefined) return [`From ${escape(seedFile)}:`, ...lines];
  return [
    "Without --seed there is one zone and there are two API tokens:",
    ...lines,
    "  token  emulator-token, may do everything",
    "  token  emulator-read-token, may only read",
  ];
}
