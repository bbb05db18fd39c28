import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isList, isObject, type Json } from "../../lib/core/json.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { type S3Server, startS3Server, type Statement } from "../support/s3-server.ts";
import { openS3Stores } from "../support/s3-stores.ts";
import { collect, given, HOLDER, stateOf, ZONE } from "../support/state-world.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/s3.md"), "utf8");

/** A policy of the page, as it stands there. */
function policyOf(job: string): readonly Statement[] {
  const [, text = "{}"] = new RegExp(`<!-- policy: ${job} -->\\n\`\`\`json\\n([^\`]*)\`\`\``).exec(PAGE) ?? [];
  const policy: unknown = JSON.parse(text);
  const statements = isObject(policy) ? policy["Statement"] : undefined;
  if (!isList(statements)) throw new Error(`the page has no policy for ${job}`);
  return statements.filter(isObject).map(({ Action, Resource }) => ({
    Effect: "Allow",
    Action: textsIn(Action),
    Resource: textsIn(Resource),
  }));
}

function textsIn(value: Json | undefined): readonly string[] {
  return (isList(value) ? value : [value]).filter((each): each is string => typeof each === "string");
}

/** The states as a job with a policy of the page sees them. */
function asJob(server: S3Server, job: string): ProjectStore {
  server.allow(job.toUpperCase(), policyOf(job));
  const stores = openS3Stores(server.address("edge"));
  const store = stores.of("shop");
  // The client asks for the credentials with its first request, so each job has made one before the next comes.
  vi.stubEnv("AWS_ACCESS_KEY_ID", job.toUpperCase());
  onTestFinished(() => void vi.unstubAllEnvs());
  return store;
}

async function serverWithState(): Promise<S3Server> {
  const server = await startS3Server();
  const store = asJob(server, "apply");
  const lease = await store.lock(ZONE, HOLDER, 0);
  await store.checkWritable(ZONE, 1000);
  const { version } = await saveState(store, lease, undefined, stateOf(3));
  await saveState(store, lease, version, stateOf(4, { serial: 4 }));
  await store.keep(ZONE, lease, "run-1", given(["record"]));
  await store.observe(ZONE, ["seen"]);
  await store.rewriteJournal(ZONE, lease, given([]));
  await lease.release();
  const left = server.keys().filter((key) => key.includes("_probe") || key.endsWith("/check"));
  expect(left).toEqual(["edge/_probe/passed"]);
  return server;
}

describe("with the policy of the page", () => {
  test("an apply can do all that it does", async () => {
    const server = await serverWithState();
    const store = asJob(server, "apply");
    const lease = await store.lock(ZONE, HOLDER, 0);
    expect(await store.retire(ZONE, lease)).toHaveLength(1);
    await lease.release();
    expect(await store.zones()).toEqual([]);
  });

  test("a job that reads sees everything with s3:GetObject alone, and can change nothing", async () => {
    const store = asJob(await serverWithState(), "read");
    expect((await loadState(store, ZONE))?.state.objects.size).toBe(4);
    expect((await store.view(ZONE)).names).toContain("run-1");
    expect(await collect(store.observations(ZONE))).toEqual(["seen"]);
    expect(await store.zones()).toEqual([ZONE]);
    expect(await store.holding(ZONE)).toBeUndefined();
    await expect(store.observe(ZONE, ["more"])).rejects.toThrow("these credentials may not do that");
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow("these credentials may not do that");
  });

  test("a job that reads gets the reason, if there is no state yet", async () => {
    const store = asJob(await startS3Server(), "read");
    const refused = await loadState(store, ZONE).catch((error: unknown) => error);
    expect(refused).toMatchObject({ diagnostic: { code: "state-denied" } });
  });

  test("a job that observes adds its observations, and can change nothing else", async () => {
    const store = asJob(await serverWithState(), "observe");
    await store.observe(ZONE, ["more", "x".repeat(200_000)]);
    await store.condense(ZONE, (lines) => lines);
    expect((await collect(store.observations(ZONE))).slice(0, 2)).toEqual(["seen", "more"]);
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow("these credentials may not do that");
  });
});
