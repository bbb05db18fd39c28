import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/disk.ts";
import { runScript } from "./script.ts";

/** The long run is `npm run crash:lock`. */
const [ACQUISITIONS, KILLS] = process.env["ZONEFORM_FULL"] ? [5000, 300] : [300, 15];

test("processes whose holders are killed never hold the lock together, and nobody has to help", ({ skip }) => {
  const { code, figures, complaints } = runScript(
    "lock.mjs",
    "--acquisitions",
    `${ACQUISITIONS}`,
    "--kills",
    `${KILLS}`,
  );
  expect([code, complaints]).toEqual([0, ""]);
  skip(figures.startsWith("skipped: "), figures);
  expect(figures).toMatch(/^acquisitions \d+, kills \d+ \(\d+ holders\), overlaps 0, /);
});

describe("the judge of the log", () => {
  test.each([
    ["one after the other", "enter 1 1|leave 1 1|enter 2 2|leave 2 2", 0],
    ["one after another one that was killed inside", "enter 1 1|kill 1|enter 2 2|leave 2 2", 0],
    ["one while another one is inside", "enter 1 1|enter 2 2|kill 1", 1],
    ["one that was killed and speaks on", "enter 1 1|kill 1|enter 2 2|leave 1 1", 1],
    ["one under a number that was used", "enter 1 1|leave 1 1|enter 2 1|leave 2 1", 1],
  ])("%s", async (_what, lines, overlaps) => {
    const log = `${await temporaryFolder()}/log`;
    await writeFile(log, `${lines.replaceAll("|", "\n")}\n`);
    const { code, figures } = runScript("lock.mjs", "--judge", log);
    expect(figures).toContain(`overlaps ${overlaps}, `);
    expect(code).toBe(overlaps === 0 ? 0 : 1);
  });
});
