import { Command } from "commander";
import type { Run } from "../context.ts";
import { withProjectFlags, withStateFlag } from "../flags.ts";
import { stateDoctorCommand } from "./state-doctor.ts";
import { stateEncryptCommand } from "./state-encrypt.ts";
import { stateLockCommand } from "./state-lock.ts";
import { stateMigrateCommand } from "./state-migrate.ts";
import { stateMoveCommand } from "./state-mv.ts";
import { statePullCommand } from "./state-pull.ts";
import { statePushCommand } from "./state-push.ts";
import { stateReleaseCommand } from "./state-release.ts";
import { stateRemoveCommand } from "./state-rm.ts";
import { stateRepairCommand } from "./state-repair.ts";
import { stateUnlockCommand } from "./state-unlock.ts";

/** `zoneform state`: reads, changes and repairs the state. */
export function stateCommand(run: Run): Command {
  return new Command("state")
    .description("inspect, edit and repair the state")
    .addCommand(listCommand(run))
    .addCommand(showCommand(run))
    .addCommand(stateMoveCommand(run))
    .addCommand(stateRemoveCommand(run))
    .addCommand(stateReleaseCommand(run))
    .addCommand(statePullCommand(run))
    .addCommand(statePushCommand(run))
    .addCommand(stateLockCommand(run))
    .addCommand(stateUnlockCommand(run))
    .addCommand(stateMigrateCommand(run))
    .addCommand(stateEncryptCommand(run))
    .addCommand(stateDoctorCommand(run))
    .addCommand(stateRepairCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform state list --zone saas.dev");
}

function listCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("list")))
    .description("list the objects in the state")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state list")
    .action(run(async () => (await import("../actions/state.ts")).runStateList));
}

function showCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("show")))
    .description("print one object of the state as JSON")
    .argument("<address>", 'the object, such as custom_hostname["app.customer-one.net"]')
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state show 'custom_hostname[\"app.customer-one.net\"]'")
    .action(run(async () => (await import("../actions/state.ts")).runStateShow));
}
