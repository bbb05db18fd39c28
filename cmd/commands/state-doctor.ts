import { Command } from "commander";
import type { Run } from "../context.ts";
import { withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform state doctor`: what is there of the states, what is wrong with it, and what to do. */
export function stateDoctorCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("doctor")))
    .description("check the stored states for problems (exit 1 on an error)")
    .option("--live", "also ask Cloudflare for each object, and report those that are gone")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state doctor --zone saas.dev")
    .action(run(async () => (await import("../actions/state-doctor.ts")).runStateDoctor));
}
