import { Command } from "commander";
import { caCommand } from "./commands/ca.ts";
import { certificatesCommand } from "./commands/certificates.ts";
import { completionCommand } from "./commands/completion.ts";
import { applyCommand } from "./commands/apply.ts";
import { destroyCommand } from "./commands/destroy.ts";
import { driftCommand } from "./commands/drift.ts";
import { emulatorCommand } from "./commands/emulator.ts";
import { explainCommand } from "./commands/explain.ts";
import { exportCommand } from "./commands/export.ts";
import { hostnameCommand } from "./commands/hostname.ts";
import { importCommand } from "./commands/import.ts";
import { planCommand } from "./commands/plan.ts";
import { purgeCommand } from "./commands/purge.ts";
import { schemaCommand } from "./commands/schema.ts";
import { showCommand } from "./commands/show.ts";
import { stateCommand } from "./commands/state.ts";
import { undoCommand } from "./commands/undo.ts";
import { statusCommand } from "./commands/status.ts";
import { validateCommand } from "./commands/validate.ts";
import { wafCommand } from "./commands/waf.ts";
import { whyCommand } from "./commands/why.ts";
import type { CommonOptions, Context, Run } from "./context.ts";
import { fail } from "./failure.ts";
import type { Where } from "./printed-commands.ts";
import { VERSION } from "../lib/real/version.ts";

/** Builds the program. Commands load what they need when they run, so that `--help` and `--version` load nothing else. */
export function program(context: Context): Command {
  const zoneform = new Command("zoneform");
  const run: Run =
    (act) =>
    async (...given) => {
      try {
        await act(context, ...given);
      } catch (thrown) {
        context.exit(await fail(context, optionsOf(zoneform, given), thrown));
      }
    };
  zoneform
    .description("plan and apply for SaaS edge zones")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .option("--no-color", "print without colours")
    .option("--debug", "print stack traces of errors, and each request without its credentials")
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .addHelpText("after", "\nExample:\n  $ zoneform plan --out plan.zfplan && zoneform apply plan.zfplan");
  const commands = [
    validateCommand(run),
    planCommand(run),
    applyCommand(run),
    destroyCommand(run),
    driftCommand(run),
    statusCommand(run),
    whyCommand(run),
    wafCommand(run),
    explainCommand(run),
    showCommand(run),
    importCommand(run),
    exportCommand(run),
    stateCommand(run),
    undoCommand(run),
    hostnameCommand(run),
    certificatesCommand(run),
    caCommand(run),
    purgeCommand(run),
    emulatorCommand(run),
    schemaCommand(run),
  ];
  for (const command of [...commands, completionCommand(run, zoneform)])
    zoneform.addCommand(command.copyInheritedSettings(zoneform));
  return zoneform;
}

/** The options of the command that ran: commander gives the command to its action as the last argument. */
function optionsOf(zoneform: Command, given: readonly unknown[]): CommonOptions & Where {
  const command = given.at(-1);
  return command instanceof Command ? command.optsWithGlobals<CommonOptions & Where>() : zoneform.opts<CommonOptions>();
}
