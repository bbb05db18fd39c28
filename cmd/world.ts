import { resolve } from "node:path";
import type { Diagnostic } from "../lib/core/diagnostic.ts";
import type { Secret } from "../lib/core/secret.ts";
import { realClock } from "../lib/real/clock.ts";
import { type LocalWorld, localWorld as buildLocalWorld, type RealWorld, realWorld } from "../lib/real/world.ts";
import { escape } from "../lib/report/escape/terminal.ts";
import type { Report } from "../lib/service/service-event.ts";
import { announcer, lockAnnouncer, noter, outageAnnouncer } from "./announce.ts";
import { notHidden } from "./streams.ts";
import { type Context, print } from "./context.ts";
import { defined } from "../lib/core/json.ts";
import type { ProjectOptions } from "../lib/engine/world.ts";
import type { CommonOptions, ServiceFlags, ProjectFlags } from "./flags.ts";

/** How to open a world, unlike the default. */
interface Opening {
  readonly report?: Report;
  readonly isReadOnly?: boolean;
}

/**
 * Builds the real world from flags and environment. It is closed when the command ends. Throws `Refusal` for bad
 * credentials or a bad endpoint.
 */
export function openWorld(
  context: Context,
  flags: ServiceFlags,
  { report = announcer(context, realClock), isReadOnly = false }: Opening = {},
): RealWorld {
  const { env, cwd, stderr, signal, atEnd } = context;
  const note = noter(context, flags);
  const world = realWorld({
    file: resolve(cwd, flags.config),
    folder: cwd,
    env,
    state: flags.state,
    apiUrl: flags.apiUrl,
    learn: learner(context, note),
    report,
    note,
    away: outageAnnouncer(context, realClock),
    lockWaits: lockAnnouncer(context, realClock),
    isReadOnly,
    trace: flags.debug ? (line) => print(stderr, escape(line)) : undefined,
    signal,
  });
  atEnd(() => world.close());
  return world;
}

/** The same for a command that changes nothing live. */
export function openReadingWorld(context: Context, flags: ServiceFlags): RealWorld {
  return openWorld(context, flags, { isReadOnly: true });
}

/** The part of the world that makes no API calls: disk, states, clock. It is closed when the command ends, too. */
export function localWorld(
  context: Context,
  flags: Pick<ServiceFlags, "config" | "state"> & Partial<CommonOptions>,
): LocalWorld {
  const { env, cwd, atEnd } = context;
  const note = noter(context, { color: false, ...flags });
  const world = buildLocalWorld({
    file: resolve(cwd, flags.config),
    folder: cwd,
    state: flags.state,
    env,
    learn: learner(context, note),
    away: outageAnnouncer(context, realClock),
    lockWaits: lockAnnouncer(context, realClock),
    note,
  });
  atEnd(world.close);
  return world;
}

/** Hides secrets that a command reads from a file, a flag or another place that is known only now. */
function learner({ redaction }: Context, note: (found: Diagnostic) => void): (secret: Secret) => void {
  return (secret) => {
    if (!redaction.learn(secret)) note(notHidden("a password, token or key that this command read"));
  };
}

/** The configuration that the flags name. */
export function projectOptions(flags: ProjectFlags): ProjectOptions {
  return {
    file: flags.config,
    ...defined({ sources: flags.source, completeSources: flags.completeSource, zones: flags.zone }),
  };
}
