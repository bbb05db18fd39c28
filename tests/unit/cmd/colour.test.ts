import { describe, expect, test } from "vitest";
import { wantsColour } from "../../../cmd/context.ts";

describe("colour", () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "" }, false, true],
    [{ FORCE_COLOR: "3", TERM: "dumb", CLICOLOR: "0" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "0", CLICOLOR_FORCE: "1" }, true, false],
    [{ CLICOLOR_FORCE: "1" }, false, true],
    [{ CLICOLOR_FORCE: "0" }, true, true],
    [{ CLICOLOR_FORCE: "0" }, false, false],
    [{ TERM: "dumb" }, true, false],
    [{ CLICOLOR: "0" }, true, false],
    [{ CLICOLOR: "1" }, true, true],
    [{ CLICOLOR: "1" }, false, false],
  ])("with %j on a terminal: %j is %j", (env, isTerminal, expected) => {
    expect(wantsColour(env, isTerminal)).toBe(expected);
  });
});
