import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { identity } from "../../../lib/real/identity.ts";

/** A process that waits until it is killed. */
async function waitingProcess(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ["-e", "console.log('up'); setInterval(() => {}, 1000)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await once(child.stdout, "data");
  const { pid } = child;
  if (pid === undefined) throw new Error("the process did not start");
  return Object.assign(child, { pid });
}

function startTimeOf(pid: number): string {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

describe.runIf(process.platform === "linux")("on Linux", () => {
  test("this process is known by everything that tells it from others", () => {
    const here = identity();
    for (const mark of [here.host, here.bootId, here.pidNamespace, here.startTime]) expect(mark).not.toBe("");
    expect(here.isAlive(here.pid, here.startTime)).toBe(true);
  });

  test("a process lives until it is killed", async () => {
    const child = await waitingProcess();
    const startTime = startTimeOf(child.pid);
    expect(identity().isAlive(child.pid, startTime)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(identity().isAlive(child.pid, startTime)).toBe(false);
  });

  test("another process under the same id is not the holder", () => {
    expect(identity().isAlive(process.pid, "1")).toBe(false);
    expect(identity().isAlive(1, "999999999999")).toBe(false);
  });
});
