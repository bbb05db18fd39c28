import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Emulator, startEmulator } from "../../../lib/emulator.ts";
import {
  apply,
  applyExit,
  decodePlan,
  drift,
  driftExit,
  encodePlan,
  type OpenWorld,
  openWorld,
  plan,
  planExit,
} from "../../../lib/index.ts";
import { ZONE } from "../../support/engine.ts";

const TOKEN = "some-token-for-tests";
const FIRST = ["a.customer.net"];
const LATER = [...FIRST, "b.customer.net"];

/** A project with these hostnames, and its world over an emulator of its own. */
async function projectWith(
  hostnames: readonly string[],
  apiUrl?: string,
): Promise<{
  readonly world: OpenWorld;
  readonly emulator: Emulator;
  readonly declare: (hostnames: readonly string[]) => Promise<void>;
  readonly live: () => readonly string[];
}> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-library-"));
  const zones = [{ id: ZONE.id, name: ZONE.name }];
  const emulator = await startEmulator({
    seed: { tokens: [{ value: TOKEN, permissions: "all" }], zones },
  });
  const file = join(folder, "zoneform.yaml");
  const world = openWorld({ file, apiUrl: apiUrl ?? emulator.url, env: { CLOUDFLARE_API_TOKEN: TOKEN } });
  onTestFinished(async () => {
    await world.close();
    await emulator.close();
    await rm(folder, { recursive: true });
  });
  const declare = (names: readonly string[]): Promise<void> => {
    const entries = names.map((hostname) => ({ hostname, ssl: { method: "http", type: "dv" } }));
    const custom_hostnames = { lifecycle: "zoneform", entries };
    return writeFile(join(folder, "zone.yaml"), JSON.stringify({ version: 1, zone: ZONE, custom_hostnames }));
  };
  await writeFile(file, JSON.stringify({ version: 1, project: "library", zones: ["zone.yaml"] }));
  await declare(hostnames);
  const live = (): readonly string[] => {
    const { body } = emulator.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`);
    const { result }: { readonly result: readonly { readonly hostname: string }[] } = JSON.parse(body);
    return result.map(({ hostname }) => hostname).toSorted();
  };
  return { world, emulator, declare, live };
}

test("changes that the YAML adds after the plan are refused, and the approved ones are applied", async () => {
  const { world, declare, live } = await projectWith(FIRST);
  const approved = await plan(world);
  await declare(LATER);
  const report = await apply(world, approved);
  expect(live()).toEqual(FIRST);
  expect(report.zones.flatMap(({ ended }) => ended.map(({ outcome }) => outcome.status))).toEqual(["done", "refused"]);
  expect(applyExit(report).code).toBe(4);
});

test("changes that the YAML no longer asks for are not applied", async () => {
  const { world, declare, live } = await projectWith(LATER);
  const approved = await plan(world);
  await declare(FIRST);
  const report = await apply(world, approved);
  expect(live()).toEqual(FIRST);
  expect(report.approval?.dropped).toEqual([{ address: 'custom_hostname["b.customer.net"]', because: "undeclared" }]);
  expect(applyExit(report).code).toBe(0);
});

test("a plan of a part is applied as that part", async () => {
  const { world, live } = await projectWith(LATER);
  const approved = await plan(world, { target: ['custom_hostname["b.customer.net"]'] });
  const report = await apply(world, approved);
  expect(live()).toEqual(["b.customer.net"]);
  expect(applyExit(report).code).toBe(0);
});

describe("nothing is applied that was not approved", () => {
  test.each([undefined, null, false, 0, "", {}, "a plan"])("%j approves nothing", async (approved) => {
    const { world, live } = await projectWith(FIRST);
    await expect(Reflect.apply(apply, undefined, [world, approved])).rejects.toMatchObject({
      diagnostics: [{ code: "bad-argument", remedy: "give what plan or decodePlan gave, whole" }],
    });
    expect(live()).toEqual([]);
  });

  test("a plan without its endpoint could belong anywhere", async () => {
    const { world, live } = await projectWith(FIRST);
    const { plan: alone } = await plan(world);
    await expect(Reflect.apply(apply, undefined, [world, alone])).rejects.toThrow("without its endpoint and scope");
    expect(live()).toEqual([]);
  });

  test("a plan that was saved against another endpoint is refused", async () => {
    const { world, live } = await projectWith(FIRST);
    const lines = [...encodePlan({ ...(await plan(world)), endpoint: "https://elsewhere.example/client/v4" })];
    const saved = await decodePlan(Readable.from(lines), "a.zfplan");
    await expect(apply(world, saved)).rejects.toMatchObject({ diagnostics: [{ code: "plan-of-another-endpoint" }] });
    expect(live()).toEqual([]);
  });

  test("a saved plan is applied with the scope that it was made for", async () => {
    const { world, live } = await projectWith(LATER);
    const lines = [...encodePlan(await plan(world, { exclude: ['custom_hostname["a.customer.net"]'] }))];
    await apply(world, await decodePlan(Readable.from(lines), "a.zfplan"));
    expect(live()).toEqual(["b.customer.net"]);
  });

  test("an undefined option counts as absent", async () => {
    const { world, live } = await projectWith(FIRST);
    const nothing = { zones: undefined, target: undefined, exclude: undefined, deny: undefined, sources: undefined };
    const made = await Reflect.apply(plan, undefined, [world, nothing]);
    await apply(world, await decodePlan(Readable.from([...encodePlan(made)]), "a.zfplan"));
    expect(live()).toEqual(FIRST);
  });

  test("the caller that applies a plan may deny more of it", async () => {
    const { world, live } = await projectWith(FIRST);
    const report = await apply(world, await plan(world), { deny: ["create"] });
    expect(applyExit(report).code).toBe(4);
    expect(live()).toEqual([]);
  });
});

describe("a bad argument is one clear error, and nothing is started", () => {
  test.each([
    [{ parallelism: 0 }, "parallelism is 0, not 1 or more"],
    [{ parallelism: -1 }, "parallelism is -1, not 1 or more"],
    [{ parallelism: Number.NaN }, "parallelism is NaN, not 1 or more"],
    [{ deadlineMilliseconds: Number.NaN }, "deadlineMilliseconds is NaN, not a time of 0 or more"],
    [{ lockWaitMilliseconds: -1 }, "lockWaitMilliseconds is -1, not a time of 0 or more"],
    [{ report: "loud" }, "report is a string, not a function"],
    [{ paralelism: 2 }, "paralelism is not an option here"],
  ])("apply with %j", async (request, message) => {
    const { world, live } = await projectWith(FIRST);
    const asked = Reflect.apply(apply, undefined, [world, await plan(world), request]);
    await expect(asked).rejects.toMatchObject({ diagnostics: [{ code: "bad-argument", message }] });
    expect(live()).toEqual([]);
  });

  test.each([
    [{ zones: "saas.dev" }, "zones is a string, not a list of texts"],
    [{ zones: null }, "zones is null, not a list of texts"],
    [{ selection: {} }, "selection is not an option here"],
    [{ sources: ["a.csv"] }, "sources is a list, not paths by source"],
    ["everything", "the request is a string"],
  ])("plan and drift with %j", async (request, message) => {
    const { world } = await projectWith(FIRST);
    for (const verb of [plan, drift])
      await expect(Reflect.apply(verb, undefined, [world, request])).rejects.toMatchObject({
        diagnostics: [{ code: "bad-argument", message }],
      });
  });

  test("all of them are reported at once", async () => {
    const { world } = await projectWith(FIRST);
    await expect(Reflect.apply(plan, undefined, [world, { zones: 1, target: {} }])).rejects.toMatchObject({
      diagnostics: [
        { message: "zones is 1, not a list of texts" },
        { message: "target is an object, not a list of texts" },
      ],
    });
  });

  test("an object that is not a world", async () => {
    for (const verb of [plan, drift, apply])
      await expect(Reflect.apply(verb, undefined, [undefined])).rejects.toThrow("world is undefined");
  });
});

test("a report callback that throws hides no write, and becomes a process warning", async () => {
  const { world, live } = await projectWith(LATER);
  const warned = once(process, "warning");
  const report = await apply(world, await plan(world), {
    parallelism: 1,
    report: () => {
      throw new Error("the disk of the log is full");
    },
  });
  expect(live()).toEqual(LATER);
  expect(report.zones.flatMap(({ ended }) => ended.map(({ outcome }) => outcome.status))).toEqual(["done", "done"]);
  expect(applyExit(report).code).toBe(0);
  expect(await warned).toMatchObject([{ name: "ZoneformWarning", message: expect.stringContaining("log is full") }]);
});

describe("the credential never appears", () => {
  test("in an error of a service that repeats it", async () => {
    const service = createServer(({ headers }, response) => {
      const errors = [{ code: 9109, message: `no such token: ${headers.authorization}` }];
      response.writeHead(403, { "content-type": "application/json" });
      response.end(JSON.stringify({ success: false, errors, messages: [], result: null }));
    });
    await new Promise<void>((resolve) => void service.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void service.close());
    const address = service.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { world } = await projectWith(FIRST, `http://127.0.0.1:${port}/client/v4`);
    const thrown: unknown = await plan(world).catch((failure: unknown) => failure);
    expect(inspect(thrown, { depth: 10 })).toContain("no such token: Bearer (sensitive)");
    expect(inspect(thrown, { depth: 10 })).not.toContain(TOKEN);
  });

  test("in a world that is logged", async () => {
    const { world } = await projectWith(FIRST);
    expect(JSON.stringify(world)).not.toContain(TOKEN);
    expect(inspect(world, { depth: 10 })).not.toContain(TOKEN);
  });
});

test("the exit codes are those of the commands", async () => {
  const { world, emulator } = await projectWith(FIRST);
  expect(driftExit(await drift(world)).code).toBe(1);
  const made = await plan(world);
  expect([planExit(made.plan).code, planExit(made.plan, true).code]).toEqual([0, 2]);
  await apply(world, made);
  expect(driftExit(await drift(world)).code).toBe(0);
  const { body } = emulator.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`);
  const { result }: { readonly result: readonly { readonly id: string }[] } = JSON.parse(body);
  emulator.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${result[0]?.id ?? ""}`);
  expect(driftExit(await drift(world))).toMatchObject({ code: 3 });
});

describe("the emulator", () => {
  test("refuses an invalid seed, with the place of the fault", async () => {
    const start = (seed: unknown): Promise<unknown> =>
      Promise.resolve(Reflect.apply(startEmulator, undefined, [{ seed }]));
    await expect(start({ zones: "saas.dev" })).rejects.toThrow("zones");
    await expect(start("/nonexistent")).rejects.toThrow();
  });

  test("closing twice is closing once", async () => {
    const emulator = await startEmulator();
    await Promise.all([emulator.close(), emulator.close()]);
    await emulator.close();
  });
});
