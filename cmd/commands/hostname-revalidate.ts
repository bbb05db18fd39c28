import { Command } from "commander";
import type { Revalidation } from "../../lib/hostnames/revalidate.ts";
import type { Run } from "../context.ts";
import { withServiceFlags } from "../flags.ts";

const DESCRIPTIONS = {
  revalidate: "start the validation of hostnames again that are not active, with their ssl as it is",
  retry: "start hostnames again that wait for it: timed out, moved, blocked, or with an expired certificate",
} as const satisfies Record<Revalidation, string>;

/** `zoneform hostname revalidate | retry NAME…`: an edit that changes nothing, which starts the validation again. Never part of an apply. */
export function hostnameRevalidateCommand(run: Run, how: Revalidation): Command {
  return withServiceFlags(new Command(how))
    .description(DESCRIPTIONS[how])
    .argument("<name...>", "live custom hostnames")
    .option("--auto-approve", "do not ask before writing")
    .option("--json", "print the result as JSON")
    .addHelpText("after", `\nExample:\n  $ zoneform hostname ${how} app.customer-one.net`)
    .action(
      run(async () => (await import("../actions/hostname-revalidate.ts")).runHostnameRevalidate.bind(undefined, how)),
    );
}
