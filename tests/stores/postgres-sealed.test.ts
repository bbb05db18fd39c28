import pg from "pg";
import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { Secret } from "../../lib/core/secret.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import type { KeyOf } from "../../lib/state/zone/sealing/cipher.ts";
import { sealedStore } from "../support/changed-store.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { addressOf, collect, HOLDER, hostname, jumpingClock, random, stateOf, ZONE } from "../support/state-world.ts";
import { past } from "../support/zone-history.ts";

/** Nobody guesses the passphrases of a test. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();
const SEALING = { passphrase: new Secret("correct horse"), acceptsPlain: false, random, keyOf: quickKey };

interface World {
  readonly shop: ProjectStore;
  readonly blog: ProjectStore;
  /** Runs SQL as somebody who may write the tables and has no passphrase; `$schema` is theirs. */
  readonly tamper: (statement: string) => Promise<void>;
}

/** Two projects with a state of the same zone under one passphrase: saved twice, with a journal of two records. */
async function begin(): Promise<World> {
  const [address, schema] = [await serverAddress(), `s_${random.uuid().replaceAll("-", "")}`];
  const stores = openStores(address, { schema });
  const open = (project: string): ProjectStore => sealedStore(stores.of(project), SEALING);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  onTestFinished(() => client.end());
  const [shop, blog] = [open("shop"), open("blog")];
  for (const store of [shop, blog]) await fill(store);
  return {
    shop,
    blog,
    tamper: async (statement) => void (await client.query(statement.replaceAll("$schema", schema))),
  };
}

async function fill(store: ProjectStore): Promise<void> {
  const objects = new Map(stateOf(21).objects).set(addressOf(18), { ...hostname(18), id: "its successor" });
  await past(store, [
    { saved: stateOf(20) },
    { saved: stateOf(21, { objects }) },
    { run: "run-1", left: { create: [37, 38] } },
  ]);
}

async function* none(): AsyncIterable<string> {}

/** The code of what loading throws; undefined if the state loads. */
async function codeOf(store: ProjectStore): Promise<unknown> {
  try {
    await loadState(store, ZONE);
    return undefined;
  } catch (thrown) {
    const diagnostic = thrown instanceof Error && "diagnostic" in thrown ? thrown.diagnostic : thrown;
    return typeof diagnostic === "object" && diagnostic !== null && "code" in diagnostic ? diagnostic.code : thrown;
  }
}

/** The line that is changed; it says that of `custom_hostname["app-18…"]`. Those before it are short enough for the row of the body. */
const LINE = 12;

/** The body of the state of the first project. */
const STATE_OF_SHOP = `SELECT body FROM $schema.entries e JOIN $schema.zones z ON z.key = e.zone
  WHERE z.project = 'shop' AND e.name = 'state'`;

/** Puts the earlier state in place of the present one. */
const PUT_BACK = `UPDATE $schema.entries e SET body = b.body FROM $schema.entries b, $schema.zones z
  WHERE z.project = 'shop' AND e.zone = z.key AND b.zone = z.key AND e.name = 'state' AND b.name LIKE 'state.backup-%'`;

/** What somebody does who can write every table and has no passphrase, and how the next run refuses it. */
const FORGERIES: readonly (readonly [what: string, statement: string, code: string])[] = [
  [
    "the state of another project",
    `UPDATE $schema.entries e SET body = o.body FROM $schema.entries o, $schema.zones a, $schema.zones b
    WHERE a.project = 'shop' AND b.project = 'blog' AND e.zone = a.key AND o.zone = b.key
      AND e.name = 'state' AND o.name = 'state'`,
    "state-not-opened",
  ],
  [
    "the journal of another project",
    `UPDATE $schema.journal j SET line = o.line FROM $schema.journal o, $schema.zones a, $schema.zones b
    WHERE a.project = 'shop' AND b.project = 'blog' AND j.zone = a.key AND o.zone = b.key AND o.seq = j.seq`,
    "state-not-opened",
  ],
  ["an earlier state", `WITH low AS (UPDATE $schema.zones SET serial = 4) ${PUT_BACK}`, "state-older-than-journal"],
  ["an earlier state, without the journal", `WITH gone AS (DELETE FROM $schema.journal) ${PUT_BACK}`, "older-state"],
  [
    "an earlier state, without the journal, the earlier copies, and the serial of the row",
    `WITH gone AS (DELETE FROM $schema.journal), low AS (UPDATE $schema.zones SET serial = 4),
      lost AS (DELETE FROM $schema.entries WHERE name LIKE 'state.backup-%') ${PUT_BACK}`,
    "older-state",
  ],
  [
    "an earlier state, without the journal and the record of the last write",
    `WITH gone AS (DELETE FROM $schema.journal), lost AS (DELETE FROM $schema.entries WHERE name LIKE 'kept-%'),
      kept AS (UPDATE $schema.entries b SET body = e.body FROM $schema.entries e
        WHERE e.zone = b.zone AND e.name = 'state' AND b.name LIKE 'state.backup-%') ${PUT_BACK}`,
    "older-state",
  ],
  [
    "a line of an earlier state in the present one",
    `UPDATE $schema.chunks c SET lines = array_to_string((string_to_array(c.lines, E'\\n'))[:${LINE - 1}]
        || (string_to_array(o.lines, E'\\n'))[${LINE}:${LINE}] || (string_to_array(c.lines, E'\\n'))[${LINE + 1}:], E'\\n')
    FROM $schema.chunks o, $schema.zones z, $schema.entries e, $schema.entries b
    WHERE z.project = 'shop' AND e.zone = z.key AND b.zone = z.key AND e.name = 'state'
      AND b.name LIKE 'state.backup-%' AND c.body = e.body AND o.body = b.body`,
    "state-damaged",
  ],
  [
    "two records of the journal exchanged",
    `UPDATE $schema.journal j SET line = o.line FROM $schema.journal o, $schema.zones z
    WHERE z.project = 'shop' AND j.zone = z.key AND o.zone = z.key AND j.seq IN (2, 3) AND o.seq = 5 - j.seq`,
    "journal-damaged",
  ],
  [
    "a record of the journal twice",
    `INSERT INTO $schema.journal SELECT zone, number, epoch, 4, line FROM $schema.journal j
    WHERE seq = 3 AND zone = (SELECT key FROM $schema.zones WHERE project = 'shop')`,
    "journal-damaged",
  ],
  [
    "a record removed from the middle",
    `DELETE FROM $schema.journal WHERE seq = 2 AND zone = (SELECT key FROM $schema.zones WHERE project = 'shop')`,
    "journal-damaged",
  ],
  ["a missing chunk", `DELETE FROM $schema.chunks WHERE body IN (${STATE_OF_SHOP})`, "state-damaged"],
];

describe.skipIf(NO_POSTGRES)(
  `an encrypted state that somebody without the passphrase changed${NO_POSTGRES ?? ""}`,
  () => {
    test("loads if it was not changed", async () => {
      const { shop, blog } = await begin();
      expect(await codeOf(shop)).toBeUndefined();
      expect(await codeOf(blog)).toBeUndefined();
      expect(await collect((await shop.view(ZONE)).journal())).toHaveLength(3);
    });

    test.each(FORGERIES)("%s is refused", async (_what, statement, code) => {
      const { shop, tamper } = await begin();
      await tamper(statement);
      expect(await codeOf(shop)).toBe(code);
    });

    test("a record of an earlier epoch's journal is refused in a later one", async () => {
      const { shop, tamper } = await begin();
      await tamper("CREATE TABLE $schema.stolen AS SELECT * FROM $schema.journal");
      const lease = await shop.lock(ZONE, HOLDER, 0);
      const begun = await beginState(shop, lease, { id: ZONE, name: "saas.eu" }, random);
      const journal = new Journal(shop, ZONE, lease, { clock: jumpingClock(), run: "run-2", state: begun.state });
      await journal.intend({ address: addressOf(39), action: "create", object: hostname(39) });
      expect(await codeOf(shop)).toBeUndefined();
      await tamper(
        "UPDATE $schema.journal j SET line = s.line FROM $schema.stolen s WHERE s.zone = j.zone AND s.seq = 2 AND j.seq = 2",
      );
      expect(await codeOf(shop)).toBe("journal-damaged");
    });

    test.each([
      ["its lineage and epoch", `array_to_string((string_to_array(o.lines, E'\\n'))[${LINE}:${LINE}], '')`],
      [
        "the lineage and epoch of the present one in front",
        `regexp_replace((string_to_array(c.lines, E'\\n'))[${LINE}], '[^.]*$', '')
          || regexp_replace((string_to_array(o.lines, E'\\n'))[${LINE}], '^.*[.]', '')`,
      ],
    ])("a line of a removed state is refused in its successor, with %s", async (_what, line) => {
      const { shop, tamper } = await begin();
      await tamper(`CREATE TABLE $schema.stolen AS SELECT c.body, c.number, c.lines
        FROM $schema.chunks c WHERE c.body IN (${STATE_OF_SHOP})`);
      const lease = await shop.lock(ZONE, HOLDER, 0);
      await shop.retire(ZONE, lease);
      await saveState(shop, lease, undefined, stateOf(20, { lineage: "0b9e8a11-3d5c-4f6e-9a70-4c1d2e3f4a5b" }));
      expect(await codeOf(shop)).toBeUndefined();
      await tamper(`UPDATE $schema.chunks c SET lines = array_to_string((string_to_array(c.lines, E'\\n'))[:${LINE - 1}]
          || (${line}) || (string_to_array(c.lines, E'\\n'))[${LINE + 1}:], E'\\n')
        FROM $schema.stolen o WHERE c.body IN (${STATE_OF_SHOP})`);
      const present = (await shop.view(ZONE)).state;
      expect((await collect(present?.lines ?? none()))[LINE - 1]).toBe("{}");
      expect(await codeOf(shop)).toBe("state-damaged");
    });
  },
);
