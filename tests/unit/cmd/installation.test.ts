import { expect, test } from "vitest";
import { isGlobal } from "../../../cmd/printed-commands.ts";

test.each([
  ["/usr/local/lib/node_modules/zoneform/dist/cmd/main.js", [], true],
  ["C:\\Users\\me\\npm\\node_modules\\zoneform\\dist\\main.js", [], true],
  ["/home/me/edge/node_modules/zoneform/dist/cmd/main.js", ["/home/me/edge/package.json"], false],
  ["/home/me/zoneform/dist/cmd/printed-commands.js", [], false],
])("%s is installed globally: %s", (file, there: readonly string[], isIt) => {
  expect(isGlobal(file, (path) => there.includes(path))).toBe(isIt);
});
