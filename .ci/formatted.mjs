// Formats generated source, so that a generated file passes the same check as any other.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./schemas.mjs";

/** Formats the source by the rules for a file with this name. */
export function formatted(name, source) {
  const folder = mkdtempSync(join(tmpdir(), "zoneform-generated-"));
  try {
    const file = join(folder, name);
    writeFileSync(file, source);
    const oxfmt = join(ROOT, "node_modules/oxfmt/bin/oxfmt");
    execFileSync(process.execPath, [oxfmt, "-c", join(ROOT, ".oxfmtrc.json"), file], { cwd: folder, stdio: "pipe" });
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
