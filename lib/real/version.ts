import { readFileSync } from "node:fs";

/** The version of this package, from its package.json: three folders up in the build, two in the source. */
export const VERSION: string = readVersion();

function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json"]) {
    try {
      const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
      return String(version);
    } catch {
      // Try the other layout.
    }
  }
  return "unknown";
}
