import { defined } from "../../lib/core/json.ts";
import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { projectOptions, openReadingWorld } from "../world.ts";
import { inspect } from "../../lib/engine/plan.ts";
import { driftExits, statusExit } from "../../lib/engine/exit.ts";
import { readHazards } from "../../lib/engine/selection.ts";
import { zoneStatus } from "../../lib/engine/hostnames/status.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { statusDocument, statusReport } from "../../lib/report/commands/status.ts";
import { reportFailedZones } from "../zones.ts";
import { leadsNowhere, originHealth } from "../../lib/engine/hostnames/origin-health.ts";
import { readableZones, standaloneZones } from "../../lib/engine/hostnames/standalone-zones.ts";
import { lockIn, unansweredIn, unfinishedIn } from "../../lib/state/unfinished.ts";
import { openDns } from "../../lib/real/dns.ts";
import { prometheusText } from "../../lib/report/printers/prometheus.ts";
import { statusAnnotations } from "../../lib/report/view/annotations.ts";
import { statusMetrics } from "../../lib/report/view/metrics.ts";
import { guardOutputs } from "../outputs.ts";
import { annotationsText, reportPrinters, reportsOf, writeReports } from "../reports.ts";
import type { ServiceFlags } from "../flags.ts";
import { reportText } from "../../lib/report/printers/text.ts";

interface StatusFlags extends ServiceFlags {
  readonly format: "text" | "json";
  /** In days. */
  readonly expiringWithin: number;
  readonly record: boolean;
  readonly checkDns?: boolean;
  readonly resolver?: readonly string[];
  readonly detailedExitcode?: boolean;
  readonly failOn?: readonly string[];
  readonly report?: readonly string[];
}

/** Runs `zoneform status`. */
export async function runStatus(context: Context, own: StatusFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<StatusFlags>() };
  const failOn = readHazards(flags.failOn ?? []);
  const reports = reportsOf("status", flags.report);
  await guardOutputs(context, flags, { written: reports.map(({ file }) => file) });
  const world = openReadingWorld(context, flags);
  const dns = flags.checkDns ? openDns({ servers: flags.resolver ?? [], signal: context.signal }) : undefined;
  let zones: ReturnType<typeof readableZones> | undefined;
  const options = { ...projectOptions(flags), records: flags.record };
  const { made, failed, project } = await inspect(
    world,
    options,
    async ({ input, section, intents, client, store }) => {
      const runs = new Map(intents.map(({ address, run }) => [address, run]));
      const status = zoneStatus(input, section, runs, flags.expiringWithin * DAY_MILLISECONDS);
      const origins = await originHealth(client, input, dns, world.signal);
      const standalone = await standaloneZones(input, () => (zones ??= readableZones(client, world.signal)));
      const unfinished = await unfinishedIn(store, status.zone.id, intents);
      const lock = await lockIn(store, status.zone.id, intents, world.clock.now());
      const unanswered = unansweredIn(input.state, intents);
      return { ...status, ...defined({ lock, unfinished, unanswered, origins, standalone }) };
    },
  );
  const isResult = await reportFailedZones(context, flags, { made, failed });
  const codes = made.map(({ zone, judgement, origins, standalone }) => {
    const isDown = leadsNowhere(origins) || (standalone?.overruled.length ?? 0) > 0;
    return { name: zone.name, code: statusExit(judgement, failOn, isDown) };
  });
  const exits = driftExits(codes, failed);
  if (isResult && flags.detailedExitcode) context.exit(exits.code);
  const document = (): string => jsonText(statusDocument(made, failed, exits));
  const report = statusReport(made, failed);
  if (isResult)
    print(context.stdout, flags.format === "json" ? document() : reportText(report, printingOn(context, flags)));
  await writeReports(context, reports, {
    ...reportPrinters(context, flags, report, `zoneform status ${project}`),
    json: document,
    github: () => annotationsText(context, flags, statusAnnotations(made, failed)),
    prometheus: () => prometheusText(statusMetrics({ project, zones: made, failed, now: world.clock.now() })),
  });
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
