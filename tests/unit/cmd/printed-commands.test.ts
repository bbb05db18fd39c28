import { describe, expect, test } from "vitest";
import { completeCommand } from "../../../cmd/printed-commands.ts";

const WHERE = { config: "edge.yaml", state: "postgres://zf@h/d" };

describe("a printed command", () => {
  test("of another program gets none of our flags", () => {
    expect(completeCommand("npm install pg", WHERE, () => false)).toBe("npm install pg");
    expect(completeCommand("chmod u+w state", WHERE)).toBe("chmod u+w state");
    expect(completeCommand("zoneform plan", WHERE)).toBe(
      "zoneform plan --config edge.yaml --state 'postgres://zf@h/d'",
    );
  });

  test("that installs a package installs it where zoneform is", () => {
    expect(completeCommand("npm install pg", WHERE, () => true)).toBe("npm install --global pg");
  });
});
