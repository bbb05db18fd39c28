import type { Command } from "commander";
import { type Context, print, type ServiceFlags } from "../context.ts";
import { hostnames, readTarget } from "../../lib/engine/hostnames/list.ts";
import { todosOf } from "../../lib/engine/hostnames/todos.ts";
import { choices } from "../../lib/engine/certificates/choice.ts";
import { loadState } from "../../lib/state/load.ts";
import { enterProject } from "../../lib/engine/world.ts";
import { printDiagnostics } from "../failure.ts";
import { openDns } from "../../lib/real/dns.ts";
import { todoList } from "../../lib/report/commands/hostnames.ts";
import { readZones, reportFailedZones } from "../zones.ts";
import { openReadingWorld } from "../world.ts";

interface HostnameTodoFlags extends ServiceFlags {
  readonly select?: readonly string[];
  readonly target?: string;
  readonly resolver?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** What `zoneform hostname todo` does. */
export async function runHostnameTodo(context: Context, own: HostnameTodoFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<HostnameTodoFlags>() };
  const world = openReadingWorld(context, flags);
  try {
    const dns = openDns({ servers: flags.resolver ?? [], signal: context.signal });
    const { made, failed } = await readZones(world, flags, async (zone, client, project) => {
      const { store } = await enterProject(world, project);
      const target = flags.target ?? (await readTarget(client, zone, world.signal));
      const chosenFor = choices(zone, (await loadState(store, zone.id))?.state);
      const records = hostnames(client, zone, { patterns: flags.select ?? [] }, world.signal);
      const left = await todosOf(records, { target, dns, chosenFor }, context.signal);
      return { zone, hostnames: left.todos, findings: left.findings };
    });
    const findings = made.flatMap((zone) => zone.findings);
    await printDiagnostics(context, flags, findings);
    if (!(await reportFailedZones(context, flags, { made, failed }))) return;
    const isNothing = flags.format === "table" && made.every((zone) => zone.hostnames.length === 0);
    const where = failed.length === 0 ? "" : " in the zones that could be checked";
    print(
      context.stdout,
      isNothing ? `no customer has records left to set${where}` : todoList(made, flags.format, failed),
    );
  } finally {
    await world.close();
  }
}
