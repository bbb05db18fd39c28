import type { CertificateZone } from "../lib/engine/certificates/read.ts";
import type { DesiredZone, LoadedProject } from "../lib/config/desired.ts";
import { worst } from "../lib/core/exit-code.ts";
import { diagnosticsOf, type EachZone, eachZone } from "../lib/engine/each-zone.ts";
import { enterProject, readProject, zonesOf } from "../lib/engine/world.ts";
import type { Client } from "../lib/service/client.ts";
import { loadState } from "../lib/state/load.ts";
import type { Context } from "./context.ts";
import { printDiagnostics } from "./failure.ts";
import { projectOptions } from "./world.ts";
import type { RealWorld } from "../lib/real/world.ts";
import type { ServiceFlags } from "./flags.ts";

/** Reads each zone that the flags select. A failing zone does not hide the others. Throws `Refusal`. */
export async function readZones<T>(
  world: RealWorld,
  flags: ServiceFlags,
  read: (zone: DesiredZone, client: Client, project: LoadedProject) => Promise<T>,
): Promise<EachZone<T>> {
  const { project } = await readProject(world, projectOptions(flags));
  const client = world.connect(project.desired.budget);
  return eachZone(zonesOf(project, flags.zone ?? []), (zone) => read(zone, client, project));
}

/** The same for reading certificates. */
export async function readCertificates<T>(
  world: RealWorld,
  flags: ServiceFlags,
  read: (from: CertificateZone) => Promise<T>,
): Promise<EachZone<T>> {
  return readZones(world, flags, async (zone, client, project) => {
    const { store } = await enterProject(world, project);
    const state = (await loadState(store, zone.id))?.state;
    return read({ client, zone, state, signal: world.signal });
  });
}

/**
 * Reports why zones could not be read, and sets the exit code. Returns whether to print a result: if any zone was read,
 * or if the format is JSON, which lists the failed zones too.
 */
export async function reportFailedZones(
  context: Context,
  flags: ServiceFlags & { readonly format: string },
  { made, failed }: EachZone<unknown>,
): Promise<boolean> {
  await printDiagnostics(context, flags, diagnosticsOf(failed));
  if (failed.length > 0) context.exit(worst(failed.map(({ exitCode }) => exitCode)));
  return made.length > 0 || flags.format === "json";
}
