import type { Command } from "commander";
import { columnsOf, type Context, print, type ServiceFlags } from "../context.ts";
import { collected } from "../../lib/core/streams.ts";
import { hostnames } from "../../lib/engine/hostnames/list.ts";
import { hostnameList } from "../../lib/report/commands/hostnames.ts";
import { readZones, reportFailedZones } from "../zones.ts";
import { openReadingWorld } from "../world.ts";

interface HostnameListFlags extends ServiceFlags {
  readonly status?: string;
  readonly sslStatus?: string;
  readonly select?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** What `zoneform hostname list` does. */
export async function runHostnameList(context: Context, own: HostnameListFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<HostnameListFlags>() };
  const world = openReadingWorld(context, flags);
  try {
    const filter = { status: flags.status, sslStatus: flags.sslStatus, patterns: flags.select ?? [] };
    const { made, failed } = await readZones(world, flags, async (zone, client) => ({
      zone,
      hostnames: await collected(hostnames(client, zone, filter, world.signal)),
    }));
    if (!(await reportFailedZones(context, flags, { made, failed }))) return;
    print(context.stdout, hostnameList(made, flags.format, failed, columnsOf(context.stdout)));
  } finally {
    await world.close();
  }
}
