import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { allMeanings, explain } from "../../lib/engine/explain/explain.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { explanationDocument, explanationText } from "../../lib/report/commands/explain.ts";
import type { CommonOptions } from "../flags.ts";

interface ExplainFlags extends CommonOptions {
  readonly format: "text" | "json";
}

/** Runs `zoneform explain`. */
export async function runExplain(
  context: Context,
  words: readonly string[],
  own: ExplainFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ExplainFlags>() };
  const meanings = words.length === 0 ? allMeanings() : explain(words.join(" "));
  const text =
    flags.format === "json"
      ? jsonText(explanationDocument(meanings))
      : explanationText(meanings, printingOn(context, flags));
  print(context.stdout, text);
}
