import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { isObject, type JsonObject } from "../../lib/core/json.ts";

const WORKER = join(import.meta.dirname, "store-worker.mjs");

/** Where a process finds its states. */
export type StorePlace = { readonly folder: string } | { readonly address: string; readonly project: string };

/** A real process that uses a store. */
export interface StoreProcess {
  /** Asks the process for an operation. The answer has `value`, or `error` with the name of the error that was thrown. */
  ask(operation: string, rest?: JsonObject): Promise<JsonObject>;
  stop(): void;
  goOn(): void;
  /** Kills the process, and resolves once it is gone. */
  kill(): Promise<void>;
}

/** Starts a process with these additional variables, and ends it at the end of the test. */
export function startStoreProcess(place: StorePlace, env: Readonly<Record<string, string>> = {}): StoreProcess {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(place)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return {
    ask: async (operation, rest = {}) => {
      child.stdin.write(`${JSON.stringify({ operation, ...rest })}\n`);
      const next = await lines.next();
      const reply: unknown = next.done ? undefined : JSON.parse(next.value);
      if (!isObject(reply)) throw new Error(`the process ended while it was asked to ${operation}`);
      return reply;
    },
    stop: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    kill,
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
