import { once } from "node:events";
import { createServer } from "node:net";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APP, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const COMMANDS: readonly (readonly string[])[] = [
  ["plan"],
  ["plan", "--json"],
  ["apply", "--auto-approve"],
  ["destroy", "--auto-approve"],
  ["drift"],
  ["drift", "--json"],
  ["status"],
  ["status", "--format", "json"],
  ["certificates", "list"],
  ["state", "doctor"],
  ["state", "doctor", "--json"],
  ["state", "list"],
  ["state", "lock"],
  ["undo", "last"],
  ["why", "saas.dev/total_tls"],
];

/** A port of this machine on which nobody listens any more. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** The example with a third zone. */
async function threeZones(): Promise<World> {
  const world = await freshWorld();
  const second = await readFile(join(world.folder, "zones/saas-app.yaml"), "utf8");
  const third = second.replaceAll(APP, "5d41402abc4b2a76b9719d911017c592").replaceAll("saas-app.dev", "saas-three.dev");
  await writeFile(join(world.folder, "zones/saas-three.yaml"), third);
  return world;
}

test("a server of the states that cannot be reached is one error of a command, whatever its zones, and exit code 1", async () => {
  const world = await threeZones();
  const address = { ZONEFORM_STATE: `postgres://nobody@127.0.0.1:${await deadPort()}/states` };
  // Each of them waits a few seconds for the server, so they wait together.
  const run = world.zoneformWith;
  const all = await Promise.all(COMMANDS.map(async (command) => [command, await run(address, ...command)] as const));
  for (const [command, { code, stdout, stderr }] of all) {
    const said = flat(stdout + stderr);
    expect([command, code, said.match(/\[state-unreachable\]/g)?.length, stderr.match(/^1 error$/gm)?.length]).toEqual([
      command,
      1,
      1,
      1,
    ]);
    expect(said).not.toContain("not-looked-at");
  }
  expect(world.emulator.requests.counts()).toEqual({});
});
