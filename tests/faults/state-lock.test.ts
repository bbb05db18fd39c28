import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/disk.ts";

const WORKER = join(import.meta.dirname, "../support/lock-worker.mjs");
const PROCESSES = 4;
/** `npm run test:full` runs longer. */
const ACQUISITIONS = process.env["ZONEFORM_FULL"] ? 5000 : 200;
const ROUNDS = 25;

interface Worker {
  readonly lines: readonly string[];
  readonly wasKilled: boolean;
}

async function work(folder: string, killAfter: number): Promise<Worker> {
  const child = spawn(process.execPath, [WORKER, `${folder}/lock`, `${folder}/marks`, `${ROUNDS}`, `${killAfter}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (piece: Buffer) => {
    output += piece.toString("utf8");
  });
  const [code, signal]: unknown[] = await once(child, "close");
  expect([code, signal]).toEqual(killAfter === 0 || signal === null ? [0, null] : [null, "SIGKILL"]);
  return { lines: output.split("\n").filter((line) => line !== ""), wasKilled: signal === "SIGKILL" };
}

test.runIf(process.platform === "linux")(
  "processes that take one lock and are killed anywhere never hold it together, and nobody has to help",
  async () => {
    expect(
      existsSync(join(import.meta.dirname, "../../dist/lib/state/engines/local/lock.js")),
      "npm run build comes first",
    ).toBe(true);
    const folder = await temporaryFolder();
    await mkdir(`${folder}/marks`);
    const lines: string[] = [];
    let killed = 0;
    let started = 0;

    /** One after the other; every second one dies, each after a different number of calls, so that every point is reached. */
    async function keepWorking(): Promise<void> {
      while (lines.length < ACQUISITIONS) {
        started += 1;
        const worker = await work(folder, started % 4 === 0 ? 0 : (started * 37) % 149);
        lines.push(...worker.lines);
        if (worker.wasKilled) killed += 1;
      }
    }

    await Promise.all(Array.from({ length: PROCESSES }, keepWorking));
    expect(lines.filter((line) => line.startsWith("overlap"))).toEqual([]);
    const fences = lines.filter((line) => line.startsWith("fence"));
    expect(new Set(fences).size).toBe(fences.length);
    expect(killed).toBeGreaterThan(3);
  },
);
