import { type DiagnosticDetails, problem } from "../../../core/diagnostic.ts";
import { placeError, StateError } from "../../error.ts";
import { isNotTls, wrongProtocol } from "../address.ts";
import { StoreConflict } from "../../lock.ts";
import type { StateAnswer } from "./protocol.ts";

/** The server does not speak TLS, and waiting would not help; undefined for every other failure. */
export function withoutTls(where: string, cause: unknown): StateError | undefined {
  if (!isNotTls(cause)) return undefined;
  const remedy = "correct the host and the port of the address; only on this machine http:// may be right";
  return wrongProtocol(new URL(where).host, "does not speak TLS, and the address is https://", remedy, cause);
}

/** No complete response came in time, or the server answered that it is unavailable. */
export function unreachable(where: string, cause: unknown): StateError {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return placeError(problem("state-unreachable", { message: `the state at ${where} cannot be reached${reason}` }), {
    cause,
  });
}

type Meaning = readonly [meaning: string, remedy: string];

/** What the status of a refusal means where it concerns every state, and what to do. */
const OF_THE_PLACE: Readonly<Record<number, Meaning>> = {
  404: ["there is nothing at this address", "correct ZONEFORM_STATE or --state, or give the job access to the project"],
  405: [
    "the server does not know the method",
    "set TF_HTTP_UPDATE_METHOD, TF_HTTP_LOCK_METHOD and TF_HTTP_UNLOCK_METHOD",
  ],
};

/** The same where it concerns one state. */
const OF_THE_STATE: Readonly<Record<number, Meaning>> = {
  413: [
    "it is larger than the server takes",
    "raise the limit of the server or of the proxy in front of it, or choose another engine",
  ],
  422: ["the server does not take it", "correct what the server says, then run it again"],
};

/**
 * A refusal in the user's words; `what` continues "the state at … cannot be". It never repeats the body of the
 * response.
 */
export function refusedBy({ status }: StateAnswer, where: string, what: string): StateError {
  if (status === 401 || status === 403) {
    const who = status === 401 ? "the user or the password is wrong, or missing" : "this user may not do that";
    return placeError({
      code: "state-denied",
      message: `the state at ${where} cannot be ${what}: ${who} (HTTP ${status})`,
      remedy:
        "correct the login in TF_HTTP_USERNAME and TF_HTTP_PASSWORD, or in ZONEFORM_STATE; or give the user the right that docs/http.md lists for the job",
    });
  }
  if (status >= 300 && status < 400) {
    return placeError({
      code: "state-server",
      message: `the state at ${where} cannot be ${what}: the server sends elsewhere (HTTP ${status}), and a password is never sent after it`,
      remedy: "set ZONEFORM_STATE to the address that the server itself uses",
    });
  }
  const ofThePlace = OF_THE_PLACE[status];
  const [meaning, remedy] = ofThePlace ?? OF_THE_STATE[status] ?? REFUSED;
  const message = `the state at ${where} cannot be ${what}: ${meaning} (HTTP ${status})`;
  return new StateError({ code: "state-server", message, remedy }, { isOfThePlace: ofThePlace !== undefined });
}

const REFUSED: Meaning = ["the server refused it", "find the reason in the server's log, then run it again"];

/** The response is a part of something, not a whole state. */
export function notAState(where: string, what: string): StateError {
  return new StateError(noState(where, what));
}

/** The response is a web page: something else than the server answers. */
export function webPage(where: string): StateError {
  return placeError(noState(where, "the server answered with a web page"));
}

function noState(where: string, what: string): DiagnosticDetails {
  return {
    code: "state-server",
    message: `the state at ${where} cannot be read: ${what}`,
    remedy: "check the address and the credentials: a page to log in answers like this",
  };
}

/** The server would store it, but no command could read it back. */
export function tooLarge(where: string, mostBytes: number): StateError {
  return new StateError({
    code: "state-server",
    message: `the state at ${where} cannot be written: it would be larger than the ${Math.floor(mostBytes / 1024 / 1024)} MiB that can be read again`,
    remedy: "nothing was stored; choose another engine for a zone of this size (zoneform state migrate)",
  });
}

/** The server does not return what was written. */
export function notStored(where: string): StateError {
  return placeError({
    code: "state-server",
    message: `the server answered that it stored the state at ${where}, and gives back another one`,
    remedy: "find out whether it keeps what it is sent, and whether a cache stands in front of it; then run it again",
  });
}

/** Another program keeps its data at this address. */
export function foreignState(where: string, whose: string): StateError {
  return new StateError(problem("state-foreign", { where, whose }));
}

/** The address does not say how to lock, and nothing is written without a lock. */
export function withoutLock(where: string): StateError {
  const message = `the state at ${where} cannot be written: no address for its lock is known`;
  return placeError(problem("state-without-lock", { message }));
}

/** Our lock was freed, or taken by another run. */
export function lockLost(where: string): StoreConflict {
  return new StoreConflict(`somebody unlocked ${where} while this run held the lock`);
}

/** Another run got our lock while we renewed it under another id. */
export function lockTaken(where: string): StoreConflict {
  return new StoreConflict(
    `a write got no answer, and before this run could lock ${where} anew, another one had done so`,
  );
}

/** The server granted the lock to two runs at once. */
export function doubleLock(where: string): StateError {
  return placeError(problem("state-not-locking", { where }));
}
