import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import {
  withProjectFlags,
  withStateFlag,
  AUTO_APPROVE,
  COPY,
  withStateWriteFlags,
  withServiceFlags,
} from "../flags.ts";

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
    .action(run(async () => (await import("../commands/state.ts")).runStateList));
}

function showCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("show")))
    .description("print one object of the state as JSON")
    .argument("<address>", 'the object, such as custom_hostname["app.customer-one.net"]')
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state show 'custom_hostname[\"app.customer-one.net\"]'")
    .action(run(async () => (await import("../commands/state.ts")).runStateShow));
}

/**
 * `zoneform state mv`: moves a tracked object to another address, or a project's states to its new name; changes
 * nothing live.
 */
function stateMoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("mv"))
    .description("move a certificate pack to another address, or the states of a renamed project; changes nothing live")
    .argument("[from]", "the address of the certificate pack in the state")
    .argument("[to]", "the new address")
    .option("--project <name>", "move all states of the project that had this name to the present name of the project")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state mv --project edge-old --dry-run\n  $ zoneform state mv 'certificate_pack[\"a.saas.dev\"]' 'certificate_pack[\"a.saas.dev,b.saas.dev\"]'",
    )
    .action(run(async () => (await import("../commands/state-mv.ts")).runStateMove));
}

/** `zoneform state rm`: forgets an object, or everything that is kept for a zone; changes nothing live. */
function stateRemoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("rm"))
    .description("release an object, which stays live; or remove the whole state of a zone (--zone without an address)")
    .argument("[address]", "the object to release (default: the whole zone that --zone names)")
    .addOption(new Option("--copy <name>", COPY).conflicts("force"))
    .option(
      "--force",
      "remove a zone's state even if it protects objects, has unfinished changes, was not moved here completely or cannot be read",
    )
    .option("--auto-approve", AUTO_APPROVE)
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'\n  $ zoneform state rm --zone saas.dev",
    )
    .action(run(async () => (await import("../commands/state-rm.ts")).runStateRemove));
}

/** `zoneform state release`: deletes what a project claims in the store, so that another project may manage it. */
function stateReleaseCommand(run: Run): Command {
  return withStateWriteFlags(new Command("release"))
    .description("drop a project's claims in a shared state store; changes nothing live")
    .option("--project <name>", "release the claims of the project with this name (default: this project)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state release --zone saas.dev\n  $ zoneform state release --project edge-old --dry-run",
    )
    .action(run(async () => (await import("../commands/state-release.ts")).runStateRelease));
}

/** `zoneform state pull`: prints the state as it is stored. */
function statePullCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("pull")))
    .description("print the stored state of a zone, with the results of an interrupted run")
    .option("--copy <name>", COPY)
    .addHelpText("after", "\nExample:\n  $ zoneform state pull --zone saas.dev > saas.dev.state")
    .action(run(async () => (await import("../commands/state.ts")).runStatePull));
}

/** `zoneform state push`: replaces the stored state by one from a file. */
function statePushCommand(run: Run): Command {
  return withStateWriteFlags(new Command("push"))
    .description("replace the stored state of a zone with a file; keeps a copy of the old state")
    .argument("<file>", "a file from zoneform state pull, or an earlier copy")
    .option("--older", "allow to go back to an earlier state; it gets a serial above both")
    .addHelpText("after", "\nExample:\n  $ zoneform state push saas.dev.state --zone saas.dev --dry-run")
    .action(run(async () => (await import("../commands/state-push.ts")).runStatePush));
}

/** `zoneform state lock`: who holds the lock of each zone. */
function stateLockCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("lock")))
    .description("show who holds the lock of each zone, since when, and how to free it")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state lock --zone saas.dev")
    .action(run(async () => (await import("../commands/state-lock.ts")).runStateLock));
}

/** `zoneform state unlock`: frees a lock whose holder is gone; never without its exact id. */
function stateUnlockCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("unlock")))
    .description("unlock the state of a zone whose run is gone; if it still runs, it cannot write any more")
    .argument("<id>", "the exact id of the lock, from the message that reported it")
    .option("--dry-run", "show what would be done; write nothing")
    .addHelpText("after", "\nExample:\n  $ zoneform state unlock 5f1a4a52-9a0c-4a52-8a57-0d2f3b1c9f10 --dry-run")
    .action(run(async () => (await import("../commands/state-lock.ts")).runStateUnlock));
}

/** `zoneform state migrate`: moves all states of the project to another place. */
function stateMigrateCommand(run: Run): Command {
  return withStateWriteFlags(new Command("migrate"))
    .description("move all states of the project to another place; the old one is kept, and refuses commands")
    .requiredOption(
      "--to <address>",
      "where the states are to be: a folder, postgres://USER@HOST/DATABASE?schema=NAME, s3://BUCKET/PREFIX or https://HOST/PATH",
    )
    .addHelpText("after", "\nExample:\n  $ zoneform state migrate --to /srv/zoneform --dry-run")
    .action(run(async () => (await import("../commands/state-migrate.ts")).runStateMigrate));
}

/** `zoneform state encrypt`: rewrites states and records with the current passphrase. */
function stateEncryptCommand(run: Run): Command {
  return withStateWriteFlags(new Command("encrypt"))
    .description("rewrite the states and the records of runs with the current ZONEFORM_STATE_PASSPHRASE")
    .addHelpText(
      "after",
      "\nExamples:\n  $ ZONEFORM_STATE_PLAIN=accept zoneform state encrypt\n  $ ZONEFORM_STATE_PASSPHRASE_PREVIOUS=… zoneform state encrypt --zone saas.dev",
    )
    .action(run(async () => (await import("../commands/state-encrypt.ts")).runStateEncrypt));
}

/** `zoneform state doctor`: which states exist, what is wrong with them, and what to do. */
function stateDoctorCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("doctor")))
    .description("check the stored states for problems (exit 1 on an error)")
    .option("--live", "also ask Cloudflare for each object, and report those that are gone")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state doctor --zone saas.dev")
    .action(run(async () => (await import("../commands/state-doctor.ts")).runStateDoctor));
}

/** `zoneform state repair`: restores the intact part of a damaged state, after asking. */
function stateRepairCommand(run: Run): Command {
  return withStateWriteFlags(new Command("repair"))
    .description("restore the newest intact copy of a damaged state, and what is intact of its journal")
    .option("--auto-approve", AUTO_APPROVE)
    .addHelpText("after", "\nExample:\n  $ zoneform state repair --zone saas.dev --dry-run")
    .action(run(async () => (await import("../commands/state-repair.ts")).runStateRepair));
}
