// Loaded into the command before everything else. It makes random names the same in each run, so that the script knows in advance
// at which files to wait for calls. It changes nothing but names.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

let count = 0;
crypto.randomUUID = () => {
  count += 1;
  return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
};
syncBuiltinESMExports();
