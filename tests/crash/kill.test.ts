import { expect, test } from "vitest";
import { runScript } from "./script.ts";

/** The long run is `npm run crash:kill`. */
const RUNS = process.env["ZONEFORM_FULL"] ? 200 : 3;

test.each([
  ["in files", []],
  ["on an HTTP server", ["--state", "http"]],
])(
  "an apply that is killed at random loses nothing, duplicates nothing, and the next one finishes it (%s)",
  (_where, state) => {
    const { code, figures, complaints } = runScript("kill.mjs", "--runs", `${RUNS}`, ...state);
    expect([code, complaints]).toEqual([0, ""]);
    expect(figures).toMatch(
      new RegExp(
        `^runs ${RUNS}, killed \\d+ \\(\\d+ mid-write\\), ` +
          "lost 0, duplicates 0, unreadable 0, manual steps 0, not as declared 0; ",
      ),
    );
  },
);
