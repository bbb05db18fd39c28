import { Command } from "commander";
import { print, printingOn, type ServiceFlags, type Run } from "../context.ts";
import { withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

/** `zoneform why ADDRESS`: each leaf of one object, who wants it, what was applied, what is live, what would be sent. */
export function whyCommand(run: Run): Command {
  return withServiceFlags(new Command("why"))
    .description("explain one object leaf by leaf")
    .argument("<address>", "the object's address")
    .addHelpText("after", "\nExample:\n  $ zoneform why 'custom_hostname[\"app.customer-one.net\"]'")
    .action(
      run(async (context, address: string, own: ServiceFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ServiceFlags>() };
        const { whyText } = await import("../../lib/report/commands/why.ts");
        const { why } = await import("../../lib/engine/why.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          print(context.stdout, whyText(await why(world, projectOptions(flags), address), printingOn(context, flags)));
        } finally {
          await world.close();
        }
      }),
    );
}
