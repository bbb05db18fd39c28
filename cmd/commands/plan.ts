import { Command, Option } from "commander";
import type { PlanOptions } from "../../lib/engine/plan.ts";
import { type Context, print, printingOn, type Run } from "../context.ts";
import { collect, formatFlag, withSelectionFlags, withServiceFlags } from "../flags.ts";
import type { SelectionFlags } from "../planning.ts";

interface PlanFlags extends SelectionFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly json?: boolean;
  readonly format: "text" | "json";
  readonly report?: readonly string[];
  readonly checkDns?: "changed" | "all";
  readonly resolver?: readonly string[];
}

/** `zoneform plan`: what an apply would do, and why. Writes nothing but the files it is told to. */
export function planCommand(run: Run): Command {
  return withSelectionFlags(withServiceFlags(new Command("plan")))
    .description("show what would be created, updated, replaced, deleted, adopted or held, and why")
    .option("--out <file>", "save the plan for: zoneform apply <file>")
    .option("--detailed-exitcode", "exit 2 where changes are planned")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", "the same as --format json")
    .option(
      "--report <format=file>",
      "write the plan to a file as well: text=FILE, json=FILE or, for a comment, markdown=FILE (repeatable)",
      collect,
    )
    .addOption(
      new Option("--check-dns [which]", "ask DNS what would keep the hostnames from working: changed ones, or all")
        .choices(["changed", "all"])
        .preset("changed"),
    )
    .addOption(
      new Option("--resolver <address>", "the DNS server to ask, as in 127.0.0.1:5353 (repeatable; else the system's)")
        .argParser(collect)
        .implies({ checkDns: "changed" }),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform plan --zone saas.dev --target 'custom_hostname[\"app.customer-one.net\"]' --out plan.zfplan" +
        "\n  $ zoneform plan --check-dns --resolver 127.0.0.1:5353",
    )
    .action(
      run(async (context, own: PlanFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<PlanFlags>() };
        const { writeOutput } = await import("../output-file.ts");
        const { redactedLines } = await import("../redaction.ts");
        const { reportsOf, planAs } = await import("../reports.ts");
        const { exitOf, planExit } = await import("../../lib/engine/exit.ts");
        const { guardSize, guardWhole, plannedInPart, scopeOf } = await import("../planning.ts");
        const { applyAgain, approveSavedAgain, commandAgain } = await import("../resuming.ts");
        const { withCommandToApprove } = await import("../../lib/approval/lifted.ts");
        const { savePlan } = await import("../saved-plan.ts");
        const { runUrlOf } = await import("../../lib/real/world.ts");
        const { openWorld } = await import("../world.ts");
        const reports = reportsOf(flags.report ?? []);
        const world = openWorld(context, flags);
        try {
          const { plan: made } = await plannedInPart(context, world, flags, await dnsCheck(context, flags));
          const plan = withCommandToApprove(
            made,
            flags.out === undefined
              ? `${commandAgain("zoneform apply", flags)} --approve ${made.hash}`
              : approveSavedAgain(flags.out, flags, made.hash),
          );
          const { byZone, code } = exitOf(plan, (section) => planExit(section, flags.detailedExitcode === true));
          print(context.stdout, planAs(flags.json ? "json" : flags.format, plan, byZone, printingOn(context, flags)));
          const link = runUrlOf(context.env);
          const comment = {
            redact: (text: string) => context.redaction.redact(text),
            ...(link === undefined ? {} : { link }),
          };
          for (const { format, file } of reports)
            await writeOutput(
              context,
              file,
              redactedLines(context, [planAs(format, plan, byZone, { colour: false }, comment).trimEnd()]),
            );
          // A plan that is larger than was allowed is shown, and not kept for anybody to apply.
          guardSize(plan, flags);
          if (flags.out !== undefined) {
            guardWhole(made);
            await savePlan(context, world, flags.out, { plan: made, scope: scopeOf(flags) });
            print(context.stderr, `saved; to carry out exactly this: ${applyAgain(flags.out, flags)}`);
          }
          context.exit(code);
        } finally {
          await world.close();
        }
      }),
    );
}

async function dnsCheck(context: Context, { checkDns, resolver }: PlanFlags): Promise<Pick<PlanOptions, "dnsCheck">> {
  if (checkDns === undefined) return {};
  const { openDns } = await import("../../lib/real/dns.ts");
  return { dnsCheck: { dns: openDns({ servers: resolver ?? [], signal: context.signal }), scope: checkDns } };
}
