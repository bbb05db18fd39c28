import { Command } from "commander";
import type { Run } from "../context.ts";
import { withServiceFlags } from "../flags.ts";

/** `zoneform state doctor`: what is there of the states, what is wrong with it, and what to do. */
export function stateDoctorCommand(run: Run): Command {
  return withServiceFlags(new Command("doctor"))
    .description("read everything that is kept, and say what is wrong with it; exit 1 where something is in error")
    .option("--live", "also ask the service for each tracked object by its id, and name those that are gone")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state doctor --zone saas.dev")
    .action(run(async () => (await import("../actions/state-doctor.ts")).runStateDoctor));
}
