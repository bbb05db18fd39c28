import { problem, refusal } from "../../lib/core/diagnostic.ts";
import { isHexId, type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { shellQuoted } from "../../lib/core/quote.ts";
import { collected } from "../../lib/core/lists.ts";
import { enterProject, readHeading } from "../../lib/engine/world.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import type { StateFile } from "../../lib/state/engine.ts";
import { confirmWithUser, TRY_FIRST } from "../confirming.ts";
import { completing, type Context, print } from "../context.ts";
import { refuseSecrets } from "../outputs.ts";
import { printSafe, readOneStateZone, underLock } from "../states.ts";
import { localWorld } from "../world.ts";
import type { ProjectFlags, StateWriteFlags } from "../flags.ts";

interface Copy {
  readonly store: ProjectStore;
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly lines: AsyncIterable<string>;
}

/** Runs `zoneform state pull --copy`: prints the lines as stored, encrypted or damaged. */
export async function printCopy(context: Context, flags: ProjectFlags, name: string): Promise<void> {
  const lines = await collected((await findCopy(context, flags, name)).lines);
  refuseSecrets(context, lines, {
    name: `the copy ${name}`,
    remedy: "take the secret out of the environment, then run it again",
  });
  for (const line of lines) print(context.stdout, line);
}

/** Runs `zoneform state rm --copy`. */
export async function removeCopy(
  context: Context,
  flags: StateWriteFlags & { readonly autoApprove?: boolean },
  name: string,
): Promise<void> {
  const { store, zone } = await findCopy(context, flags, name);
  if (flags.dryRun) return printSafe(context, `would delete the copy ${name} of ${zone.name}; changes nothing live`);
  printSafe(context, `this deletes the copy ${name} of ${zone.name}; changes nothing live`);
  const confirmed = flags.autoApprove ?? (await promptRemoval(context));
  if (!confirmed) return context.exit(1);
  await underLock(context, flags, { store, zone }, "state rm", (lease) => store.discardCopy(zone.id, lease, name));
  printSafe(context, `deleted the copy ${name} of ${zone.name}`);
}

function promptRemoval(context: Context): Promise<boolean> {
  return confirmWithUser(context, {
    ask: "Delete it?",
    declined: "not approved; nothing was deleted",
    what: "the deletion",
    remedy: TRY_FIRST,
  });
}

async function findCopy(context: Context, flags: ProjectFlags, name: string): Promise<Copy> {
  const { store, zone } = await zoneOfCopy(context, flags);
  const lines = (await store.view(zone.id)).copy(name);
  if (lines) return { store, zone, lines };
  const names = (await store.files(zone.id)).flatMap(({ copy }) => copy ?? []);
  const remedy = names.length === 0 ? "there is none" : `there are: ${names.join(", ")}`;
  throw refusal(problem("no-copy", { zone: zone.name, copy: JSON.stringify(name) }, { remedy }));
}

/** A zone that is named by id may be gone from the YAML: its copies stay after its state was removed. */
async function zoneOfCopy(context: Context, flags: ProjectFlags): Promise<Pick<Copy, "store" | "zone">> {
  const [wanted = "", ...others] = flags.zone ?? [];
  if (!isHexId(wanted) || others.length > 0) {
    const { world, zone } = await readOneStateZone(context, flags);
    return { store: world.store, zone };
  }
  const outer = localWorld(context, flags);
  const { store } = await enterProject(outer, { heading: await readHeading(outer, flags.config) });
  return { store, zone: { id: zoneId(wanted), name: wanted } };
}

/** Lines with the place of each copy, and the command that prints it. */
export async function copyLines(
  flags: ProjectFlags,
  store: ProjectStore,
  zone: ZoneId,
  names: readonly string[],
): Promise<readonly string[]> {
  const complete = completing(flags);
  return (await copiesNamed(store, zone, names)).flatMap(({ path, copy = "" }) => [
    `  copy: ${path}`,
    `    ${complete(`zoneform state pull --zone ${zone} --copy ${shellQuoted(copy)}`)}`,
  ]);
}

/** The copies of a zone with these names. */
export async function copiesNamed(
  store: ProjectStore,
  zone: ZoneId,
  names: readonly string[],
): Promise<readonly StateFile[]> {
  return (await store.files(zone)).filter(({ copy }) => copy !== undefined && names.includes(copy));
}
