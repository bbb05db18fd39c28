import type { Command } from "commander";
import { type Context, print, printingOn, type ServiceFlags } from "../context.ts";
import { projectOptions } from "../project.ts";
import { whyText } from "../../lib/report/commands/why.ts";
import { why } from "../../lib/engine/why.ts";
import { openWorld } from "../world.ts";

/** What `zoneform why` does. */
export async function runWhy(context: Context, address: string, own: ServiceFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ServiceFlags>() };
  const world = openWorld(context, flags);
  try {
    print(context.stdout, whyText(await why(world, projectOptions(flags), address), printingOn(context, flags)));
  } finally {
    await world.close();
  }
}
