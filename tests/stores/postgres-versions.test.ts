import { describe, expect, test } from "vitest";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { ask, serverAddress } from "../support/postgres-stores.ts";
import { freshWorld, type World } from "../support/project.ts";
import { random } from "../support/state-world.ts";

/** A project that was applied, and what another Zoneform may make of its tables. */
interface Applied {
  readonly run: (...args: string[]) => ReturnType<World["zoneformWith"]>;
  readonly change: (statement: string) => Promise<unknown>;
  /** Runs an apply that has something to do. */
  readonly apply: () => ReturnType<World["zoneform"]>;
}

async function applied(): Promise<Applied> {
  const [address, schema] = [await serverAddress(), `versions_${random.uuid().replaceAll("-", "_")}`];
  const world = await freshWorld();
  const run: Applied["run"] = (...args) =>
    world.zoneformWith({ ZONEFORM_STATE: `${address}?schema=${schema}` }, ...args);
  expect(await run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  return {
    run,
    change: (statement) => ask(address, statement.replaceAll("$schema", schema)),
    apply: async () => {
      await world.edit("data/customers.csv", "lessons.violin-academy.de,bronze", "lessons.violin-academy.de,silver");
      return run("apply", "--auto-approve");
    },
  };
}

const READERS = [["plan", "--detailed-exitcode"], ["drift"], ["status"]] as const;

describe.skipIf(NO_POSTGRES)(`tables of another zoneform${NO_POSTGRES ?? ""}`, () => {
  test("newer tables that this version can read stop no plan, and every apply", async () => {
    const { run, change, apply } = await applied();
    await change("UPDATE $schema.version SET version = 2");
    for (const command of READERS) expect(await run(...command)).toMatchObject({ code: 0 });
    const { code, stdout } = await apply();
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("[state-tables]") });
    expect(stdout.replace(/\s+/g, " ")).toContain("have version 2, and this zoneform writes version 1");
  });

  test("newer tables that only newer versions can read stop everything", async () => {
    const { run, change } = await applied();
    await change("UPDATE $schema.version SET version = 3, readable_from = 2");
    for (const command of [...READERS, ["apply", "--auto-approve"]]) {
      const { code, stderr } = await run(...command);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("[state-tables]") });
    }
  });

  test("older tables stop no plan, even if one is missing", async () => {
    const { run, change, apply } = await applied();
    await change("UPDATE $schema.version SET version = 0, readable_from = 0; DROP TABLE $schema.observations");
    for (const command of READERS) expect(await run(...command)).toMatchObject({ code: 0 });
    expect(await apply()).toMatchObject({ code: 1, stdout: expect.stringContaining("[state-tables]") });
  });
});
