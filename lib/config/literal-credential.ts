import { error } from "../core/diagnostic.ts";
import type { Report } from "./report.ts";
import { positionIn } from "./text.ts";

/** The variables that hold credentials. */
const VARIABLES = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"];

/**
 * A token has 40 characters, a key 37 (docs/service.md#credentials). A shorter value, such as the emulator's, would
 * match ordinary words.
 */
const SHORTEST = 16;

/** Reports a file that contains the credential of this run in clear text. No message repeats it. */
export function refuseCredentials(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  report: Report,
): void {
  for (const name of VARIABLES) {
    const value = env[name] ?? "";
    const index = value.length < SHORTEST ? -1 : text.indexOf(value);
    if (index < 0) continue;
    report(
      error({
        code: "literal-secret",
        message: `the value of ${name} is here in clear text`,
        remedy: "remove it, and revoke the credential: it has been in a file",
        at: positionIn(text, index, file),
      }),
    );
  }
}
