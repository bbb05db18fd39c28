import { resolve } from "node:path";
import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { projectOptions, openReadingWorld } from "../world.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { wafCheckText, wafDocument, wafPreviewText, wafStatusText } from "../../lib/report/commands/waf.ts";
import { previousWafResources, wafPreviews, wafStandings, wafStandingsWith } from "../../lib/engine/waf.ts";
import type { WafStanding } from "../../lib/kinds/waf-migration/standing.ts";
import type { ServiceFlags } from "../flags.ts";

type WafFlags = ServiceFlags & { readonly format: "text" | "json"; readonly terraformState?: string };

/** Runs `zoneform waf status`, `check` and `preview`. */
export async function runWaf(
  name: "status" | "check" | "preview",
  context: Context,
  own: WafFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<WafFlags>() };
  const world = openReadingWorld(context, flags);
  const printing = printingOn(context, flags);
  const say = <T extends WafStanding>(
    found: readonly T[],
    text: (found: readonly T[], how: typeof printing) => string,
  ): void => {
    print(context.stdout, flags.format === "json" ? jsonText(wafDocument(found)) : text(found, printing));
  };
  if (name === "preview") return say(await wafPreviews(world, projectOptions(flags)), wafPreviewText);
  if (flags.terraformState !== undefined) {
    const path = resolve(context.cwd, flags.terraformState);
    const resources = await previousWafResources(world.fs, path, flags.terraformState);
    return say(await wafStandingsWith(world, projectOptions(flags), resources), wafCheckText);
  }
  say(await wafStandings(world, projectOptions(flags)), name === "check" ? wafCheckText : wafStatusText);
}
