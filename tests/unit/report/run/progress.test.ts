import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { brandAddress } from "../../../../lib/core/brand.ts";
import { error } from "../../../../lib/core/diagnostic.ts";
import {
  openProgress,
  type Progress,
  type ProgressOptions,
  type ProgressEvent,
} from "../../../../lib/report/run/progress.ts";
import { screenOf } from "../../../support/screen.ts";

/** A clock that stands still until it is moved; whoever sleeps wakes when it has moved far enough. */
function stoppedClock() {
  let now = 0;
  let sleepers: { readonly due: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ due: now + milliseconds, wake });
      }),
    advance: async (milliseconds: number) => {
      now += milliseconds;
      const due = sleepers.filter((sleeper) => sleeper.due <= now);
      sleepers = sleepers.filter((sleeper) => sleeper.due > now);
      for (const { wake } of due) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

type Watched = {
  readonly progress: Progress;
  readonly clock: ReturnType<typeof stoppedClock>;
  readonly written: () => string;
  readonly screen: () => readonly string[];
};

function opened(isTerminal: boolean, more: Partial<ProgressOptions> & { readonly columns?: number } = {}): Watched {
  const { columns = 80, ...options } = more;
  const stream = Object.assign(new PassThrough(), isTerminal ? { isTTY: true, columns } : {});
  let written = "";
  stream.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const clock = stoppedClock();
  const zones = [{ name: "saas.dev", total: 40 }];
  const progress = openProgress({ stream, isTerminal, zones, leastSeconds: 0, clock, ...options });
  onTestFinished(() => progress.stop());
  return { progress, clock, written: () => written, screen: () => screenOf(written) };
}

function end(hostname: string, zone = ""): ProgressEvent {
  const address = brandAddress(`${zone}custom_hostname["${hostname}"]`);
  return { type: "end", ended: { address, action: "create", outcome: { status: "done" } } };
}

function failure(address: string): ProgressEvent {
  const diagnostic = error({ code: "refused-by-service", message: "refused\n::error::x" });
  const ended = {
    address: brandAddress(address),
    action: "update",
    outcome: { status: "failed", diagnostic },
  } as const;
  return { type: "end", ended };
}

function waiting(untilMilliseconds: number): ProgressEvent {
  return { type: "waiting", reason: "the certificate limit", untilMilliseconds };
}

describe("progress in a log", () => {
  test("is one line for each change that ended, with its place in the whole", () => {
    const { progress, written } = opened(false);
    progress.report({ type: "start", address: brandAddress("fallback_origin"), action: "update" });
    progress.report(end("a.example"));
    progress.report(failure("total_tls"));
    progress.stop();
    expect(written()).toBe(
      [
        'custom_hostname["a.example"]: created (1/40)',
        String.raw`total_tls: failed: refused\u{a}::error::x (2/40)`,
        "",
      ].join("\n"),
    );
  });

  test("says once why it waits, and until when", () => {
    const { progress, written } = opened(false);
    progress.report(waiting(20_000));
    progress.report(waiting(20_000));
    expect(written()).toBe("waiting 0:20 for the certificate limit (0/40)\n");
  });

  test("of thousands of changes is a hundred lines, and one for each that was not done", async () => {
    const { progress, clock, written } = opened(false, { zones: [{ name: "saas.dev", total: 5000 }] });
    await clock.advance(1000);
    progress.report(failure("total_tls"));
    for (let index = 1; index < 5000; index += 1) progress.report(end(`${index}.example`));
    progress.stop();
    const lines = written().trimEnd().split("\n");
    expect(lines).toHaveLength(101);
    expect(lines[0]).toContain("total_tls: failed: ");
    expect(lines[1]).toBe("saas.dev: 50/5,000, about 2 min left, 1 failed");
    expect(lines.at(-1)).toBe("saas.dev: 5,000/5,000, 1 failed");
  });

  test("of several zones at once counts all of them together", async () => {
    const zones = [
      { name: "saas.dev", total: 300 },
      { name: "saas.eu", total: 300 },
      { name: "idle.dev", total: 0 },
    ];
    const { progress, written } = opened(false, { zones, isParallel: true });
    for (let index = 0; index < 3; index += 1) {
      progress.report(end(`${index}.example`, "saas.dev/"));
      progress.report(end(`${index}.example`, "saas.eu/"));
    }
    progress.stop();
    expect(written()).toBe("2 zones: 6/600\n");
  });

  test("of thousands that fail is bounded as well", () => {
    const { progress, written } = opened(false, { zones: [{ name: "saas.dev", total: 5000 }] });
    for (let index = 0; index < 5000; index += 1) progress.report(failure("total_tls"));
    progress.stop();
    expect(written().trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  });

  test("has no carriage return and no control sequence", () => {
    const { progress, written } = opened(false);
    progress.report(end("a.example"));
    progress.report(waiting(60_000));
    progress.stop();
    expect(written()).not.toContain("\r");
    expect(written()).not.toContain("\u001b");
  });
});

describe("progress on a terminal", () => {
  test("shows the zone, a bar, how many changes have ended, and the time left", async () => {
    const { progress, clock, screen } = opened(true);
    await clock.advance(10_000);
    for (let index = 0; index < 10; index += 1) progress.report(end(`${index}.example`));
    await clock.advance(1000);
    expect(screen()).toEqual(["  saas.dev  [=======>--------------------]  10/40", "            about 29 s left"]);
  });

  test("counts down what it waits for while nothing ends", async () => {
    const { progress, clock, screen } = opened(true, { leastSeconds: 180 });
    progress.report(end("a.example"));
    progress.report(waiting(42_000));
    await clock.advance(1000);
    expect(screen()[1]).toBe("            waiting 0:41 for the certificate limit, about 3 min left");
    await clock.advance(40_000);
    expect(screen()[1]).toBe("            waiting 0:01 for the certificate limit, about 3 min left");
    await clock.advance(1000);
    expect(screen()[1]).toBe("            about 3 min left");
    await clock.advance(100_000);
    expect(screen()[1]).toBe("            about 38 s left");
  });

  test("never says that less time is left than it waits", async () => {
    const { progress, clock, screen } = opened(true);
    await clock.advance(1000);
    for (let index = 0; index < 39; index += 1) progress.report(end(`${index}.example`));
    progress.report(waiting(61_000));
    await clock.advance(1000);
    expect(screen()[1]).toBe("            waiting 0:59 for the certificate limit, about 59 s left");
  });

  test("estimates again what takes longer than it looked", async () => {
    const { progress, clock, screen } = opened(true, { zones: [{ name: "saas.dev", total: 2 }] });
    await clock.advance(10_000);
    progress.report(end("a.example"));
    await clock.advance(30_000);
    expect(screen()[1]).toBe("            about 40 s left");
  });

  test("names a call that the service takes long to answer", async () => {
    const { progress, clock, screen } = opened(true);
    progress.report({ type: "start", address: brandAddress("fallback_origin"), action: "update" });
    await clock.advance(2000);
    expect(screen()[1]?.trim()).toBe("");
    await clock.advance(10_000);
    expect(screen()[1]).toBe("            waiting for Cloudflare, 0:12 so far: update fallback_origin");
  });

  test("goes from zone to zone, and counts all of them too", async () => {
    const zones = [
      { name: "saas.dev", total: 1 },
      { name: "app.dev", total: 3 },
    ];
    const { progress, clock, screen } = opened(true, { zones });
    progress.report(end("a.example", "saas.dev/"));
    await clock.advance(1000);
    expect(screen()[0]).toBe("  saas.dev  [============================]  1/1 (1/4 in all)");
    progress.report(end("b.example", "app.dev/"));
    await clock.advance(1000);
    expect(screen()[0]).toBe("  app.dev  [=========>------------------]  1/3 (2/4 in all)");
  });

  test("counts what was not done", async () => {
    const { progress, clock, screen } = opened(true);
    progress.report(failure("total_tls"));
    await clock.advance(1000);
    expect(screen()[0]).toMatch(/ {2}1\/40, 1 failed$/);
  });

  test.each([40, 60, 80, 200])("fits %i columns", async (columns) => {
    const zones = [{ name: "a-rather-long-name-of-a-zone.customers.example", total: 4000 }];
    const { progress, clock, screen } = opened(true, { zones, columns });
    progress.report(failure("total_tls"));
    progress.report(waiting(600_000));
    await clock.advance(1000);
    for (const line of screen()) expect(line.length).toBeLessThan(columns);
    expect(screen()[0]).toContain("[");
  });

  test("leaves nothing behind", () => {
    const { progress, screen, written } = opened(true);
    progress.report(end("a.example"));
    progress.stop();
    expect(screen().join("").trim()).toBe("");
    expect(written().lastIndexOf("\u001b[?25h")).toBeGreaterThan(written().lastIndexOf("\u001b[?25l"));
  });

  test("leaves the signals to the caller", () => {
    const before = process.listenerCount("SIGINT");
    opened(true);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});
