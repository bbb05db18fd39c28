import { describe, expect, test } from "vitest";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { freshWorld, DEV, type World } from "../support/project.ts";
import { type HttpStateServer, startHttpStates } from "../support/http-state-server.ts";
import { HOLDER } from "../support/state-world.ts";
import { zoneId } from "../../lib/core/brand.ts";
import { flat } from "../support/text.ts";

const PASSPHRASE = "correct horse battery staple, and more";
const NAME = nameOfState("saas-edge", DEV);

/** The example with its states on a server like GitLab. */
async function worldOn(more: Readonly<Record<string, string>> = {}): Promise<{
  readonly world: World;
  readonly server: HttpStateServer;
  readonly zoneform: World["zoneform"];
}> {
  const [world, server] = [await freshWorld(), await startHttpStates("gitlab")];
  const env = { ...server.env, ZONEFORM_STATE: server.address, ...more };
  return { world, server, zoneform: (...args) => world.zoneformWith(env, ...args) };
}

describe("states on an HTTP server", () => {
  test("serve plan, apply, drift and doctor; what is not recorded is said once", async () => {
    const { server, zoneform } = await worldOn();
    expect(await zoneform("plan")).toMatchObject({ code: 0 });
    expect(server.model.names()).toEqual([]);
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(server.model.names()).toContain(NAME);
    const drift = await zoneform("drift");
    expect(drift.code).toBe(0);
    expect(drift.stderr.split("[observations-not-kept]")).toHaveLength(2);
    expect(drift.stderr).toContain("this place cannot keep observations");
    expect(drift.stderr).not.toContain("let it write");
    expect((await zoneform("drift", "--no-record")).stderr).not.toContain("observations-not-kept");
    const status = await zoneform("status");
    expect(status.stdout).toContain("saas.dev");
    // Nothing can be recorded there, however often somebody checks.
    expect(status.stdout).not.toContain("check for drift");
    expect(await zoneform("state", "doctor")).toMatchObject({ code: 0 });
    expect(await zoneform("state", "rm", "--zone", "saas.dev", "--force", "--auto-approve")).toMatchObject({ code: 0 });
    expect((await zoneform("drift", "--zone", "saas.dev")).stderr).toContain("[no-state]");
  });

  test("keep a lock for ever: exit code 7, with the holder, the time and the command that frees it", async () => {
    const { server, zoneform } = await worldOn();
    await zoneform("apply", "--auto-approve");
    const lease = await server.open().of("saas-edge").lock(zoneId(DEV), HOLDER, 0);
    const locked = await zoneform("destroy", "--zone", "saas.dev", "--auto-approve");
    expect(locked.code).toBe(7);
    const said = flat(locked.stdout + locked.stderr);
    expect(said).toContain(`by ${HOLDER.who}`);
    expect(said).toMatch(/since [-0-9]+ [:0-9]+ UTC, \d+ days ago/);
    expect(said).toContain(`zoneform state unlock ${lease.id} --zone saas.dev`);
    const shown = await zoneform("state", "lock");
    expect(shown.stdout).toContain(`zoneform state unlock ${lease.id} --zone saas.dev`);
    expect(await zoneform("state", "unlock", lease.id, "--zone", "saas.dev")).toMatchObject({ code: 0 });
    expect(await zoneform("destroy", "--zone", "saas.dev", "--auto-approve", "--max-duration", "0s")).not.toMatchObject(
      {
        code: 7,
      },
    );
  });

  test("that stay locked because the server refuses to free a lock are named at the end, with the way to free them", async () => {
    const { server, zoneform } = await worldOn();
    server.interfere(({ method, url }) =>
      method === "DELETE" && url.includes(NAME) ? { status: 403, headers: {}, body: "" } : undefined,
    );
    const applied = await zoneform("apply", "--auto-approve");
    expect(applied.code).toBe(0);
    const held = server.model.holderOf(NAME) ?? "";
    const said = flat(applied.stderr);
    expect(said.split("[lock-not-freed]")).toHaveLength(2);
    expect(said).toMatch(
      new RegExp(`warning: the state of zone ${DEV} may still be locked: the state at \\S+ cannot be unlocked: .*403`),
    );
    expect(said).toContain(`zoneform state unlock ${held} --zone ${DEV}`);
    server.interfere(() => undefined);
    expect(await zoneform("state", "unlock", held, "--zone", DEV)).toMatchObject({ code: 0 });
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  });

  test("that are locked by somebody whom the server does not name are freed on its page", async () => {
    const [world, server] = [await freshWorld(), await startHttpStates("silent")];
    const env = { ...server.env, ZONEFORM_STATE: server.address };
    const body = JSON.stringify({ ID: "abc", Operation: "apply", Info: "", Who: "x", Version: "1", Created: "" });
    server.model.handle({ method: "LOCK", url: `${server.address}/${NAME}`, headers: {}, body });
    const shown = await world.zoneformWith(env, "state", "lock", "--zone", "saas.dev");
    const said = flat(shown.stdout + shown.stderr);
    expect(said).toContain("locked; the server does not say by which run");
    expect(said).toContain("on the server's page");
    expect(said).not.toMatch(/state unlock|unknown process|lock file|undefined/);
    const json = JSON.parse((await world.zoneformWith(env, "state", "lock", "--zone", "saas.dev", "--json")).stdout);
    expect(json).toMatchObject({ zones: [{ held: true, lock: {} }] });
    const freed = await world.zoneformWith(env, "state", "unlock", "unknown", "--zone", "saas.dev");
    expect(freed.code).not.toBe(0);
    expect(flat(freed.stderr)).toContain("on the server's page");
  });

  test("are not replaced or deleted by methods for the lock that another program left in the environment", async () => {
    const [world, server] = [await freshWorld(), await startHttpStates("terraform")];
    const env = { ...server.env, ZONEFORM_STATE: server.address };
    expect(await world.zoneformWith(env, "apply", "--auto-approve")).toMatchObject({ code: 0 });
    const [stored, asked] = [server.model.bodyOf(NAME), server.requests.length];
    for (const [left, args] of [
      [{ TF_HTTP_UNLOCK_METHOD: "DELETE" }, ["apply", "--auto-approve"]],
      [{ TF_HTTP_LOCK_METHOD: "POST" }, ["state", "lock"]],
    ] as const) {
      const refused = await world.zoneformWith({ ...env, ...left }, ...args);
      expect([refused.code, flat(refused.stderr)]).toEqual([1, expect.stringContaining("same address as the state")]);
    }
    expect(server.requests).toHaveLength(asked);
    expect(server.model.bodyOf(NAME)).toBe(stored);
  });

  test("cannot be reached with https:// where the server speaks plain HTTP, and the error says so at once", async () => {
    const { world, server } = await worldOn();
    const address = server.address.replace("http:", "https:");
    const ended = await world.zoneformWith({ ...server.env, ZONEFORM_STATE: address }, "plan");
    expect([ended.code, flat(ended.stderr)]).toEqual([
      1,
      expect.stringMatching(
        /cannot be used: 127\.0\.0\.1:\d+ does not speak TLS, and the address is https:\/\/ \[state-address\]/,
      ),
    ]);
    expect(ended.stderr).not.toMatch(/openssl|SSL routines/i);
  });

  test("have no line in the clear if they are encrypted", async () => {
    const { server, zoneform } = await worldOn({ ZONEFORM_STATE_PASSPHRASE: PASSPHRASE });
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const body = server.model.bodyOf(NAME) ?? "";
    expect(body).toContain('"zoneform"');
    expect(body).not.toMatch(/customer|hostname/);
    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    expect(server.requests.map(({ body: sent }) => sent).join("")).not.toContain(PASSPHRASE);
  });

  test("are where the project file expects them, or nothing is read", async () => {
    const { world, server, zoneform } = await worldOn();
    const declare = (section: string): Promise<void> =>
      world.edit("zoneform.yaml", /project: saas-edge(\nstate: .*)?/, `project: saas-edge\nstate: ${section}`);
    await declare("{ engine: http, host: 127.0.0.1 }");
    expect(await zoneform("plan")).toMatchObject({ code: 0 });
    const read = server.requests.length;
    for (const [section, words] of [
      ["{ engine: postgres }", "wants the states in PostgreSQL, but ZONEFORM_STATE puts them on an HTTP server"],
      [
        "{ engine: http, host: gitlab.example }",
        "expects the states on gitlab.example, and ZONEFORM_STATE leads to 127.0.0.1",
      ],
    ] as const) {
      await declare(section);
      const refused = await zoneform("plan");
      expect([refused.code, flat(refused.stderr)]).toEqual([1, expect.stringContaining(words)]);
    }
    await declare("{ engine: http }");
    const nowhere = await world.zoneform("plan");
    expect(flat(nowhere.stderr)).toContain("wants the states on an HTTP server, and nothing says where");
    expect(server.requests).toHaveLength(read);
  });
});
