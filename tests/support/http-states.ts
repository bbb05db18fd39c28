import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { StateError } from "../../lib/state/error.ts";
import type { WantedClaims } from "../../lib/state/zone/claims.ts";
import type { StateRequest } from "../../lib/state/engines/http/protocol.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import type { ServerMode } from "./http-state-model.ts";
import type { HttpStateServer } from "./http-state-server.ts";
import { jumpingClock, ZONE } from "./state-world.ts";

/** The name of the state of `storeOn`. */
export const NAME: string = nameOfState("suite", ZONE);

/** All modes of a server. */
export const MODES: readonly ServerMode[] = ["terraform", "gitlab", "careless", "silent"];

/** Claims to write. Writing claims locks the list of states. */
export const CLAIM: WantedClaims = { project: "edge", zone: ZONE, things: [{ kind: "custom_hostname" }] };

/** A store whose pauses take no time. */
export function storeOn(server: HttpStateServer): ProjectStore {
  return server.open({ clock: jumpingClock() }).of("suite");
}

/** Cuts the first request that fits. */
export function once(
  server: HttpStateServer,
  fits: (request: StateRequest) => boolean,
  what: "cut-before" | "cut-after",
): void {
  let isDone = false;
  server.interfere((request) => {
    if (isDone || !fits(request)) return undefined;
    isDone = true;
    return what;
  });
}

/** Makes the server answer every request in this way. */
export function answering(
  server: HttpStateServer,
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): void {
  server.interfere(() => ({ status, headers, body }));
}

/** Whether the request writes the state. */
export function isWrite({ method, url }: StateRequest): boolean {
  return method === "POST" && url.includes(NAME) && url.includes("?ID=");
}

/** Whether the request takes a lock. GitLab's is a POST, like its writes. */
export function isLock({ method, url }: StateRequest): boolean {
  return method === "LOCK" || (method === "POST" && url.endsWith("/lock"));
}

/** Whether the request frees a lock. */
export function isUnlock({ method }: StateRequest): boolean {
  return method === "UNLOCK" || method === "DELETE";
}

/** Locks the list of states for another process. */
export function lockList(server: HttpStateServer, id: string): void {
  const body = JSON.stringify({ ID: id, Operation: "list", Info: "", Who: "x", Version: "1", Created: "", Path: "" });
  const method = server.address.includes("/api/") ? "POST" : "LOCK";
  const url = `${server.address}/zoneform-index${method === "POST" ? "/lock" : ""}`;
  server.model.handle({ method, url, headers: {}, body });
}

/** The StateError that the work throws. Throws if it ends in another way. */
export async function failureOf(work: Promise<unknown>): Promise<StateError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof StateError)) throw new Error("it did not fail with a StateError", { cause: thrown });
  return thrown;
}
