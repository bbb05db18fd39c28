import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { projectOptions, openReadingWorld } from "../world.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { whyDocument, whyText } from "../../lib/report/commands/why.ts";
import { why } from "../../lib/engine/why.ts";
import type { ServiceFlags } from "../flags.ts";

type WhyFlags = ServiceFlags & { readonly json?: boolean };

/** Runs `zoneform why`. */
export async function runWhy(context: Context, address: string, own: WhyFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<WhyFlags>() };
  const world = openReadingWorld(context, flags);
  const found = await why(world, projectOptions(flags), address);
  print(context.stdout, flags.json ? jsonText(whyDocument(found)) : whyText(found, printingOn(context, flags)));
}
