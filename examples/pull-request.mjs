// The pull request of the tour: each edit looks harmless, and the plan says what it does.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Edits a copy of examples/saas: the minimum TLS of a policy, the path of a rule, and two rows of the CSV. */
export function editProject(folder) {
  const zone = "zones/saas-dev.yaml";
  rewrite(folder, zone, 'min_tls_version: "1.3", http2', 'min_tls_version: "1.2", http2');
  rewrite(folder, zone, '"/upload")', '"/")');
  rewrite(folder, zone, "total_tls:", "deletion_limits: { custom_hostname: { percent: 10%, count: 1 } }\n\ntotal_tls:");
  rewrite(folder, "data/customers.csv", /^(?:portal\.alpine|track\.meridian).*\n/gm, "");
}

/** Replaces a text in a file of the folder. Throws where it is not there. */
export function rewrite(folder, file, before, after) {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const changed = text.replace(before, after);
  if (changed === text) throw new Error(`${file} does not have ${before}`);
  writeFileSync(path, changed);
}
