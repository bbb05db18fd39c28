import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { Locked } from "../../lib/state/lock.ts";
import type { ServerMode } from "../support/http-state-model.ts";
import { type HttpStateServer, startHttpStates } from "../support/http-state-server.ts";
import { collect, given, HOLDER, ZONE } from "../support/state-world.ts";

const QUIET = {
  PATH: process.env["PATH"],
  CHECKPOINT_DISABLE: "1",
  TF_CLI_CONFIG_FILE: "/dev/null",
  TF_IN_AUTOMATION: "1",
};
const MISSING =
  spawnSync("terraform", ["version"], { env: QUIET }).status === 0 ? "" : ": there is no terraform on the PATH";
const NAME = nameOfState("suite", ZONE);

/** One resource that needs no provider and reaches nothing. */
const CONFIGURATION = `terraform {
  backend "http" {}
}

resource "terraform_data" "one" {
  input = "one"
}
`;

interface Terraform {
  readonly run: (...args: readonly string[]) => Promise<{ readonly code: number | null; readonly output: string }>;
  readonly start: (...args: readonly string[]) => ChildProcess;
}

/** A real Terraform whose state has this name on the server. */
async function openTerraform({ address, env }: HttpStateServer, mode: ServerMode, name: string): Promise<Terraform> {
  const cwd = await mkdtemp(join(tmpdir(), "zoneform-http-terraform-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "main.tf"), CONFIGURATION);
  const lock = mode === "gitlab" ? `${address}/${name}/lock` : `${address}/${name}`;
  const variables = {
    ...QUIET,
    ...env,
    HOME: cwd,
    TF_HTTP_ADDRESS: `${address}/${name}`,
    TF_HTTP_LOCK_ADDRESS: lock,
    TF_HTTP_UNLOCK_ADDRESS: lock,
    ...(mode === "gitlab" ? { TF_HTTP_LOCK_METHOD: "POST", TF_HTTP_UNLOCK_METHOD: "DELETE" } : {}),
  };
  const start: Terraform["start"] = (...args) => {
    const child = spawn("terraform", [...args, "-no-color"], { cwd, env: variables });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const run: Terraform["run"] = async (...args) => {
    const child = start(...args);
    child.stdin?.end();
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(child, "close");
    return { code: typeof code === "number" ? code : null, output };
  };
  expect((await run("init", "-input=false")).output).toContain("Successfully configured the backend");
  return { run, start };
}

describe.skipIf(MISSING !== "").each(["terraform", "gitlab"] as const)(
  `Terraform and Zoneform on one server (%s)${MISSING}`,
  (mode) => {
    test("work in turn, each with its own state", async () => {
      const server = await startHttpStates(mode);
      const terraform = await openTerraform(server, mode, "theirs");
      expect(await terraform.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
      const store = server.open().of("suite");
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given(["ours"]));
      expect(await terraform.run("apply", "-auto-approve", "-replace=terraform_data.one")).toMatchObject({ code: 0 });
      await lease.release();
      const stored = (await server.open().of("suite").view(ZONE)).state;
      expect(stored && (await collect(stored.lines))).toEqual(["ours"]);
      expect(server.model.names()).toEqual(["theirs", "zoneform-index", NAME]);
    });

    test("respect each other's lock, and neither takes the other's state for its own", async () => {
      const server = await startHttpStates(mode);
      const terraform = await openTerraform(server, mode, NAME);
      const store = server.open().of("suite");
      const lease = await store.lock(ZONE, HOLDER, 0);
      const ours = server.model.bodyOf(NAME);

      const refused = await terraform.run("apply", "-auto-approve");
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(lease.id) });
      const misread = await terraform.run("apply", "-auto-approve", "-lock=false");
      expect(misread).toMatchObject({
        code: 1,
        output: expect.stringMatching(/version 1000 is not supported|newer version/),
      });
      expect(server.model.bodyOf(NAME)).toBe(ours);
      await lease.release();
    });

    test("wait for each other", async () => {
      const server = await startHttpStates(mode);
      const terraform = await openTerraform(server, mode, NAME);
      // It asks whether to apply, and holds the lock meanwhile.
      const child = terraform.start("apply");
      await vi.waitFor(() => expect(server.model.holderOf(NAME)).toBeDefined(), 60_000);
      const store = server.open().of("suite");
      const locked: unknown = await store.lock(ZONE, HOLDER, 0).catch((error: unknown) => error);
      expect(locked).toBeInstanceOf(Locked);
      expect(String(locked)).toContain(`id ${server.model.holderOf(NAME)}`);
      child.stdin?.end("yes\n");
      expect(await once(child, "close")).toEqual([0, null]);
      // By now Terraform has its state there.
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toMatchObject({ diagnostic: { code: "state-foreign" } });
      expect(server.model.holderOf(NAME)).toBeUndefined();
      expect(await terraform.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    });
  },
);
