import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { ApplyEvent } from "../../../../lib/apply/outcome.ts";
import { brandAddress } from "../../../../lib/core/brand.ts";
import { openProgress, type Progress } from "../../../../lib/report/run/progress.ts";
import { error } from "../../../../lib/core/diagnostic.ts";

/** A clock that stands still until it is set. */
function stoppedClock(): { now(): number; sleep(): Promise<void>; set(milliseconds: number): void } {
  let now = 0;
  return {
    now: () => now,
    sleep: () => Promise.resolve(),
    set: (milliseconds) => {
      now = milliseconds;
    },
  };
}

function opened(isTerminal: boolean): {
  progress: Progress;
  clock: ReturnType<typeof stoppedClock>;
  readonly written: () => string;
} {
  const stream = Object.assign(
    new PassThrough(),
    isTerminal ? { isTTY: true, columns: 80, cursorTo: () => true, moveCursor: () => true, clearLine: () => true } : {},
  );
  let written = "";
  stream.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const clock = stoppedClock();
  return { progress: openProgress({ stream, isTerminal, total: 40, clock }), clock, written: () => written };
}

function end(hostname: string): ApplyEvent {
  return {
    type: "end",
    ended: { address: brandAddress(`custom_hostname["${hostname}"]`), action: "create", outcome: { status: "done" } },
  };
}

const waiting: ApplyEvent = { type: "waiting", reason: "the limit of 15 issuances a minute", seconds: 20 };

describe("progress in a log", () => {
  test("is one line for each change that ended, with its place in the whole", () => {
    const { progress, written } = opened(false);
    progress.report({ type: "start", address: brandAddress("fallback_origin"), action: "update" });
    progress.report(end("a.example"));
    const diagnostic = error({ code: "refused-by-service", message: "refused\n::error::x" });
    progress.report({
      type: "end",
      ended: { address: brandAddress("total_tls"), action: "update", outcome: { status: "failed", diagnostic } },
    });
    progress.stop();
    expect(written()).toBe(
      [
        'custom_hostname["a.example"]: created (1/40)',
        String.raw`total_tls: failed: refused\u{a}::error::x (2/40)`,
        "",
      ].join("\n"),
    );
  });

  test("says once why it waits", () => {
    const { progress, written } = opened(false);
    progress.report(waiting);
    progress.report(waiting);
    expect(written()).toBe("waiting 20 s: the limit of 15 issuances a minute (0/40)\n");
  });
});

describe("progress on a terminal", () => {
  test("shows how many are done, the time left as the run so far makes it likely, and why it waits", () => {
    const { progress, clock, written } = opened(true);
    clock.set(10_000);
    for (let index = 0; index < 10; index += 1) progress.report(end(`${index}.example`));
    progress.report(waiting);
    progress.stop();
    expect(written()).toContain("10/40, about 30 s left, waiting 20 s");
  });

  test("leaves the signals to the caller", () => {
    const before = process.listenerCount("SIGINT");
    const { progress } = opened(true);
    expect(process.listenerCount("SIGINT")).toBe(before);
    progress.stop();
  });
});
