import type { Clock } from "../lib/core/clock.ts";
import type { Diagnostic } from "../lib/core/diagnostic.ts";
import { neverCommand, escape } from "../lib/report/escape/terminal.ts";
import { formatDiagnostics } from "../lib/report/lines/diagnostics.ts";
import { thousands } from "../lib/core/words.ts";
import { clockTime } from "../lib/report/lines/words.ts";
import type { Report, ServiceEvent } from "../lib/service/service-event.ts";
import type { LockWait } from "../lib/state/stores.ts";
import type { Away } from "../lib/state/engines/waiting.ts";
import { describeHolding } from "../lib/state/lock.ts";
import { type Context, print, printingOn } from "./context.ts";
import type { CommonOptions } from "./flags.ts";
import type { Where } from "./printed-commands.ts";

/** The reason of a wait, to follow "waiting 0:41 for". */
export const WAITING_WORDS: Readonly<Record<(ServiceEvent & { type: "waiting" })["reason"], string>> = {
  "api-budget": "the budget of API calls",
  "issuance-limit": "the certificate limit",
  "others-share": "the share of the API limit that budget.api sets",
  throttled: "Cloudflare, which is rate limiting calls (429)",
};

/**
 * Prints on standard error why nothing seems to happen: each wait, and the first of several attempts at one call. A run
 * that is silent for minutes would seem to hang.
 */
export function announcer({ stderr }: Context, clock: Clock): Report {
  let last = "";
  return (event) => {
    const subject = event.type === "retrying" ? event.request : event.type;
    if (event.type === "waiting" || subject !== last) print(stderr, neverCommand(escape(sentence(event, clock.now()))));
    last = subject;
  };
}

function sentence(event: ServiceEvent, now: number): string {
  switch (event.type) {
    case "waiting":
      return `waiting ${clockTime((event.untilMilliseconds - now) / 1000)} for ${WAITING_WORDS[event.reason]}`;
    case "retrying":
      return `trying again: ${event.because}`;
    case "incomplete-list":
      return `warning: ${event.path} kept changing while it was listed: ${thousands(event.seen)} of ${thousands(event.total)} objects were seen, so an object that seems to be gone may still exist`;
    default:
      return event satisfies never;
  }
}

/** Prints on standard error that the run waits for a lock, for how long at most, and who holds it. */
export function lockAnnouncer({ stderr }: Pick<Context, "stderr">, clock: Clock): (wait: LockWait) => void {
  return (wait) => {
    const text = `waiting at most ${mostText(wait)}: ${describeHolding(wait.holding, clock.now())}`;
    print(stderr, neverCommand(escape(text)));
  };
}

/**
 * How long the run waits, and for which lock. A lock that its holder no longer renews is watched until it is free,
 * however short the wait is.
 */
function mostText({ zone, holding, waitMilliseconds }: LockWait): string {
  const [wait, watch] = [waitMilliseconds, holding.renewal?.deadAfterMilliseconds ?? 0];
  const lock = `for the lock of zone ${zone}`;
  if (wait >= watch) return `${clockTime(wait / 1000)} ${lock}`;
  const watched = clockTime(watch / 1000);
  if (wait === 0) return `${watched} ${lock}, to see whether the run that holds it is dead`;
  return `${clockTime(wait / 1000)} ${lock}, or ${watched} if the run that holds it stops renewing it`;
}

/**
 * Prints on standard error, once for each outage, that the state server does not respond, and how long we keep trying.
 */
export function outageAnnouncer({ stderr }: Pick<Context, "stderr">, clock: Clock): Away {
  let until = 0;
  return (leftMilliseconds) => {
    // Several calls wait at once, and each wait has its own end.
    if (clock.now() < until) return;
    until = clock.now() + leftMilliseconds;
    const time = new Date(until).toISOString().slice("2026-01-01T".length, "2026-01-01T00:00:00".length);
    print(stderr, `the server of the states does not answer; trying again until ${time} UTC`);
  };
}

/**
 * Prints on standard error what a run finds besides its result: each finding once, however many zones have it. A
 * failure to record counts as one finding, whatever the reasons.
 */
export function noter(context: Context, options: CommonOptions & Where): (found: Diagnostic) => void {
  const said = new Set<string>();
  return (found) => {
    const words = found.code === "observations-not-kept" ? found.code : `${found.code} ${found.message}`;
    if (said.has(words)) return;
    said.add(words);
    const printing = printingOn(context, options, context.stderr);
    print(context.stderr, formatDiagnostics([found], { format: "text", ...printing }));
  };
}
