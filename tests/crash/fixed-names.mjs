// Loaded into the command before everything else: it makes random names the same in each run, so that the script knows
// beforehand the files whose calls it waits for. Nothing but names comes from here.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

let count = 0;
crypto.randomUUID = () => {
  count += 1;
  return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
};
syncBuiltinESMExports();
