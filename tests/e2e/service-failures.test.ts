import { describe, expect, test } from "vitest";
import { type Ended, run } from "../support/command.ts";
import { appliedWorlds, DEV, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** One error with its remedy, nothing on standard output, nothing written, and exit code 1. */
function expectOneError(ended: Ended, message: RegExp | string): void {
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).toMatch(/(^|\n)\S*\s?error: .* \[[a-z-]+\]\n {2}\S.*\n1 error\n$/);
}

/** Runs with exactly these credentials. */
function withCredentials({ surroundings }: World, credentials: Readonly<Record<string, string>>): Promise<Ended> {
  const { CLOUDFLARE_BASE_URL = "" } = surroundings.env;
  return run(["plan"], { ...surroundings, env: { CLOUDFLARE_BASE_URL, ...credentials } });
}

describe("credentials", () => {
  test.each([
    ["none at all", {}, "no credential is set"],
    [
      "a token with a line break",
      { CLOUDFLARE_API_TOKEN: "demo-token\n" },
      "CLOUDFLARE_API_TOKEN contains a line break",
    ],
    [
      "both schemes",
      { CLOUDFLARE_API_TOKEN: "token-1", CLOUDFLARE_API_KEY: "key-value-1", CLOUDFLARE_EMAIL: "a@b.c" },
      "are both set",
    ],
  ])("%s is refused before any call", async (_name, credentials, message) => {
    const world = await freshWorld();
    expectOneError(await withCredentials(world, credentials), message);
    expect(world.emulator.requests.total()).toBe(0);
  });

  test.each([
    ["a token that is not valid", { CLOUDFLARE_API_TOKEN: "wrong-token-value" }, "the API token is not valid"],
    [
      "a key that is not valid",
      { CLOUDFLARE_API_KEY: "wrong-key-value", CLOUDFLARE_EMAIL: "ops@saas.dev" },
      "the key and the e-mail do not match",
    ],
  ])("%s is one clear message that does not repeat it", async (_name, credentials, message) => {
    const world = await freshWorld();
    const ended = await withCredentials(world, credentials);
    expectOneError(ended, message);
    expect(ended.stderr).not.toContain("-value");
    expect(world.emulator.requests.total()).toBe(1);
  });

  test("a read-only token fails each write with one reason, and the state stays correct", async () => {
    const world = await freshWorld();
    const applied = await world.zoneformWith({ CLOUDFLARE_API_TOKEN: "demo-read-only" }, "apply", "--auto-approve");
    expect([1, 6]).toContain(applied.code);
    expect(applied.stdout).toContain(" failed: refused by Cloudflare\n");
    expect(flat(applied.stdout)).toMatch(
      /the credential may not write here: perhaps it can only read .* give the token the permission Edit for/,
    );
    const before = world.dashboard(DEV, "GET", "custom_hostnames");
    expect(before).toEqual([]);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

// These wait for the pauses between attempts, so they wait together.
describe.concurrent("an unreachable service", () => {
  test("is one message that says what to check, after a few announced attempts", async ({ onTestFinished }) => {
    const [world, other] = [await appliedWorld(onTestFinished), await appliedWorld(onTestFinished)];
    const before = await world.states();
    other.emulator.faults.order({ fault: { kind: "html", status: 200 }, rate: 1 });
    const closed = { CLOUDFLARE_BASE_URL: "http://127.0.0.1:1/client/v4" };
    // Both take their attempts, with waits between them: at the same time.
    const [refused, html] = await Promise.all([world.zoneformWith(closed, "plan"), other.zoneform("drift")]);

    expectOneError(refused, /error: Cloudflare cannot be reached \(.*ECONNREFUSED 127\.0\.0\.1:\d+\) \[unreachable\]/);
    expect(refused.stderr.split("trying again: ")).toHaveLength(2);
    expect(refused.stderr).toContain(
      "check host and port in --api-url or CLOUDFLARE_BASE_URL, and that the server runs; zoneform emulator starts the emulator\n",
    );
    expectOneError(
      html,
      /the server did not answer with Cloudflare API JSON \(.* was answered HTML instead of JSON .*\[not-json\]/,
    );
    expect(await world.states()).toEqual(before);
  });

  test("at a URL with a password is refused before any call, and the password is not repeated", async ({
    onTestFinished,
  }) => {
    const world = await freshWorld(onTestFinished);
    const CLOUDFLARE_BASE_URL = "https://ops:hunter2@127.0.0.1/client/v4";
    const ended = await world.zoneformWith({ CLOUDFLARE_BASE_URL }, "plan");
    expectOneError(ended, "contains a user name or a password");
    expect(ended.stderr).not.toContain("hunter2");
  });

  test("during an apply: what is written stays, the rest is not started, and the next run continues", async ({
    onTestFinished,
  }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({
      fault: { kind: "html", status: 502 },
      method: "POST",
      path: "/zones/*/custom_hostnames",
      skip: 4,
      rate: 1,
    });
    const applied = await world.zoneform("apply", "--auto-approve", "--parallelism", "16");
    expect(applied.code).toBe(6);
    expect(applied.stdout).toMatch(/^To resume:\s+zoneform apply --expect zf1:\w{64}$/m);
    world.emulator.faults.clear();
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe.concurrent("a storm of 429 responses", () => {
  test("is waited out, and the wait is announced", async ({ onTestFinished }) => {
    const world = await appliedWorld(onTestFinished);
    world.emulator.faults.order({ fault: { kind: "throttle", code: 10100, status: 429, retryAfter: 1 }, count: 2 });
    const ended = await world.zoneform("drift");
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/^waiting 0:0\d for Cloudflare, which is rate limiting calls \(429\)\n/);
    expect(ended.stdout).toContain("No drift in project saas-edge.\n");
  });

  test("is recognised inside HTTP 200 too", async ({ onTestFinished }) => {
    const world = await appliedWorld(onTestFinished);
    world.emulator.faults.order({ fault: { kind: "throttle", code: 971, status: 200, retryAfter: 1 } });
    expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
  });

  test("without an end can be interrupted: code 130, state intact", async ({ onTestFinished }) => {
    const world = await appliedWorld(onTestFinished);
    const before = await world.states();
    world.emulator.faults.order({ fault: { kind: "throttle", code: 10100, status: 429, retryAfter: 300 }, rate: 1 });
    const running = world.start("plan");
    await running.said("waiting 5:00 for Cloudflare");
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
    expect(await world.states()).toEqual(before);
  });
});

describe("a zone", () => {
  test("that does not exist is one message that names its id", async () => {
    const world = await freshWorld();
    await world.edit("zones/saas-dev.yaml", DEV, "a".repeat(32));
    const ended = await world.zoneform("plan");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^zones\/saas-dev\.yaml:3:\d+: error: saas\.dev: the zone does not exist, or the credential may not see it \(GET \/zones\/a{32} was answered/,
    );
    expect(ended.stdout).toContain("~ update one.tenant-alpha.com (config)");
    expect(world.writes()).toEqual({});
  });

  test("with another name than in the YAML is not planned", async () => {
    const world = await appliedWorld();
    const before = await world.states();
    await world.edit("zones/saas-dev.yaml", "name: saas.dev", "name: saas.example");
    await world.edit("zones/saas-dev.yaml", "fallback.saas.dev", "fallback.saas.example");
    const ended = await world.zoneform("apply", "--auto-approve");
    expectOneError(
      ended,
      `zones/saas-dev.yaml:3:7: error: zone ${DEV} is saas.dev, and the YAML calls it saas.example`,
    );
    expect(await world.states()).toEqual(before);
  });
});
