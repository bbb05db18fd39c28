import { Command, InvalidArgumentError } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform ca`: what the change of a CA's chain means for the certificates of a zone. */
export function caCommand(run: Run): Command {
  return new Command("ca")
    .description("audit certificates before a CA changes its chain")
    .addCommand(auditCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30");
}

function auditCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("audit")))
    .description("show the chain of each certificate at a date, what Cloudflare does, and what you must do")
    .option("--at <date>", "the date to audit for, such as 2024-09-30 (default: now, by Cloudflare's clock)", moment)
    .addOption(formatFlag(["text", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30 --format csv > audit.csv")
    .action(run(async () => (await import("../actions/ca.ts")).runCaAudit));
}

/** A date, which begins at midnight UTC, or a moment in RFC 3339. */
function moment(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  const time = Date.parse(text);
  const isReal = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new InvalidArgumentError("Expected a date such as 2024-09-30.");
  return time;
}
