import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state migrate`: moves all states of the project to another place. */
export function stateMigrateCommand(run: Run): Command {
  return withStateWriteFlags(new Command("migrate"))
    .description("move all states of the project to another place; the old one is kept, and refuses commands")
    .requiredOption(
      "--to <address>",
      "where the states are to be: a folder, postgres://USER@HOST/DATABASE?schema=NAME, s3://BUCKET/PREFIX or https://HOST/PATH",
    )
    .addHelpText("after", "\nExample:\n  $ zoneform state migrate --to /srv/zoneform --dry-run")
    .action(run(async () => (await import("../actions/state-migrate.ts")).runStateMigrate));
}
