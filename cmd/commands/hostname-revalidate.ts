import { Command } from "commander";
import type { Revalidation } from "../../lib/engine/hostnames/revalidate.ts";
import type { Run } from "../context.ts";
import { AUTO_APPROVE, withServiceFlags } from "../flags.ts";

const DESCRIPTIONS = {
  revalidate: "restart the validation of hostnames that are not active; their ssl stays as it is",
  retry: "restart hostnames that are stuck: timed out, moved, blocked, or with an expired certificate",
} as const satisfies Record<Revalidation, string>;

/** `zoneform hostname revalidate | retry NAME…`: an edit that changes nothing, which starts the validation again. Never part of an apply. */
export function hostnameRevalidateCommand(run: Run, how: Revalidation): Command {
  return withServiceFlags(new Command(how))
    .description(DESCRIPTIONS[how])
    .argument("<name...>", "live custom hostnames, such as app.customer-one.net")
    .option("--auto-approve", AUTO_APPROVE)
    .option("--json", "print the result as JSON")
    .addHelpText("after", `\nExample:\n  $ zoneform hostname ${how} app.customer-one.net`)
    .action(
      run(async () => (await import("../actions/hostname-revalidate.ts")).runHostnameRevalidate.bind(undefined, how)),
    );
}
