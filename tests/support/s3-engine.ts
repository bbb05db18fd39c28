import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { STORES_FULL } from "./full.ts";
import { AWS_ENV } from "./s3-stores.ts";
import { random } from "./state-world.ts";

const ENGINE = findEngine();

/** Why tests use no real S3 engine; undefined if they do. */
export const NO_ENGINE: string | undefined = reason();

const START_MILLISECONDS = 30_000;

function reason(): string | undefined {
  if (!STORES_FULL) return " (skipped: only with npm run test:stores)";
  return ENGINE === undefined ? " (skipped: no versitygw on the PATH or in ZONEFORM_VERSITYGW; docs/s3.md)" : undefined;
}

function findEngine(): string | undefined {
  const named = process.env["ZONEFORM_VERSITYGW"] ?? "";
  const folders = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "versitygw"));
  return [named, ...folders].find((path) => path !== "" && existsSync(path));
}

/** A real S3 engine on loopback, with a folder of its own. */
export interface S3Engine {
  /** The address of a new place for states, which nobody else uses. */
  address(): string;
  stop(): Promise<void>;
}

/** Starts an engine. */
export async function startEngine(): Promise<S3Engine> {
  const folder = mkdtempSync(join(tmpdir(), "zoneform-versitygw-"));
  mkdirSync(join(folder, "states"));
  const port = await freePort();
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = AWS_ENV;
  const flags = ["--access", access, "--secret", secret, "--port", `127.0.0.1:${port}`, "--region", AWS_ENV.AWS_REGION];
  // Without --sidecar, which keeps metadata in other files: the engine may then answer with the ETag of one version and the bytes
  // of another.
  const args = [...flags, "posix", folder];
  const engine = spawn(ENGINE ?? "versitygw", args, { stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  await answered(endpoint);
  return {
    address: () => `s3://states/${random.uuid()}?endpoint=${encodeURIComponent(endpoint)}`,
    stop: async () => {
      const ended = once(engine, "exit");
      engine.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answered(url: string): Promise<void> {
  for (const end = Date.now() + START_MILLISECONDS; Date.now() < end;) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await setTimeout(20);
  }
  throw new Error("the S3 engine did not start in time");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}
