import { expect, test } from "vitest";
import { runScript } from "./script.ts";

/** The long run is `npm run crash:kill`. */
const RUNS = process.env["ZONEFORM_FULL"] ? 200 : 3;

test("an apply that is killed at random loses nothing, duplicates nothing, and is finished by the next one", () => {
  const { code, figures, complaints } = runScript("kill.mjs", "--runs", `${RUNS}`);
  expect([code, complaints]).toEqual([0, ""]);
  expect(figures).toMatch(
    new RegExp(
      `^runs ${RUNS}, killed \\d+ \\(\\d+ mid-write\\), ` +
        "lost 0, duplicates 0, unreadable 0, manual steps 0, not as declared 0; ",
    ),
  );
});
