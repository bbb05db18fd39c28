import type { Command } from "commander";
import { columnsOf, type Context, print } from "../context.ts";
import { collected } from "../../lib/core/lists.ts";
import { hostnames, readTarget } from "../../lib/engine/hostnames/list.ts";
import { hostnameList, todoList } from "../../lib/report/commands/hostnames.ts";
import { readZones, reportFailedZones } from "../zones.ts";
import { openReadingWorld, projectOptions, openWorld } from "../world.ts";
import { todosOf } from "../../lib/engine/hostnames/todo.ts";
import { choices } from "../../lib/engine/certificates/choice.ts";
import { loadState } from "../../lib/state/load.ts";
import { enterProject, readProject, zonesOf } from "../../lib/engine/world.ts";
import { printDiagnostics } from "../failure.ts";
import { openDns } from "../../lib/real/dns.ts";
import {
  findHostnames,
  type FoundHostname,
  reasonToLeave,
  revalidate,
  type Revalidated,
  type Revalidation,
} from "../../lib/engine/hostnames/revalidate.ts";
import { callsExit } from "../../lib/engine/exit.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { callsText, leftText, outcomeText, revalidationDocument } from "../../lib/report/commands/revalidation.ts";
import { confirmWithUser } from "../confirming.ts";
import { counted } from "../../lib/core/words.ts";
import type { ServiceFlags } from "../flags.ts";

interface HostnameListFlags extends ServiceFlags {
  readonly status?: string;
  readonly sslStatus?: string;
  readonly select?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** Runs `zoneform hostname list`. */
export async function runHostnameList(context: Context, own: HostnameListFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<HostnameListFlags>() };
  const world = openReadingWorld(context, flags);
  const filter = { status: flags.status, sslStatus: flags.sslStatus, patterns: flags.select ?? [] };
  const { made, failed } = await readZones(world, flags, async (zone, client) => ({
    zone,
    hostnames: await collected(hostnames(client, zone, filter, world.signal)),
  }));
  if (!(await reportFailedZones(context, flags, { made, failed }))) return;
  print(context.stdout, hostnameList(made, flags.format, failed, columnsOf(context.stdout)));
}

interface HostnameTodoFlags extends ServiceFlags {
  readonly select?: readonly string[];
  readonly target?: string;
  readonly resolver?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** Runs `zoneform hostname todo`. */
export async function runHostnameTodo(context: Context, own: HostnameTodoFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<HostnameTodoFlags>() };
  const world = openReadingWorld(context, flags);
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
}

interface RevalidateFlags extends ServiceFlags {
  readonly autoApprove?: boolean;
  readonly json?: boolean;
}

/** Runs `zoneform hostname revalidate` and `retry`. */
export async function runHostnameRevalidate(
  how: Revalidation,
  context: Context,
  names: readonly string[],
  own: RevalidateFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<RevalidateFlags>() };
  const world = openWorld(context, flags);
  const { project } = await readProject(world, projectOptions(flags));
  const client = world.connect(project.desired.budget);
  const found = await findHostnames(client, zonesOf(project, flags.zone ?? []), names, world.signal);
  const chosen = found.filter(({ live }) => reasonToLeave(live, how) === undefined);
  // With --json, stdout is only the document: the user reads on stderr what would be done.
  const looked = flags.json ? context.stderr : context.stdout;
  for (const each of found) print(looked, leftText(each, reasonToLeave(each.live, how)));
  const left = found.flatMap((each): readonly Revalidated[] => {
    const reason = reasonToLeave(each.live, how);
    return reason === undefined ? [] : [{ ...each, outcome: { status: "left", reason } }];
  });
  const report = (ended: readonly Revalidated[]): void => {
    if (flags.json) print(context.stdout, jsonText(revalidationDocument([...left, ...ended])));
  };
  if (chosen.length === 0) return report([]);
  if (!(await promptApproval(context, flags, chosen))) return context.exit(1);
  const ended: Revalidated[] = [];
  for await (const each of revalidate(client, chosen, how, world.signal)) {
    if (!flags.json) print(context.stdout, outcomeText(each));
    ended.push(each);
    if (each.outcome.status === "done") context.done.isLiveChanged = true;
  }
  report(ended);
  print(context.stderr, callsText(world.counts()?.requests ?? {}));
  context.exit(callsExit(ended.map(({ outcome }) => outcome.status)));
}

async function promptApproval(
  context: Context,
  { autoApprove }: RevalidateFlags,
  chosen: readonly FoundHostname[],
): Promise<boolean> {
  if (autoApprove) return true;
  return confirmWithUser(context, {
    ask: `Restart the validation of ${counted(chosen.length, "hostname")} (${counted(2 * chosen.length, "API call")})?`,
    declined: "not approved; nothing was changed",
    what: "this",
    remedy: "run it again with --auto-approve",
  });
}
