import { optionalText } from "../../../core/decode.ts";
import { type JsonObject, parseObject } from "../../../core/json.ts";
import { decodeHolder, encodeHolder, type LockHolder } from "../../lock.ts";

/** A request to the state server. */
export interface StateRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A complete response. Header names are lower case. */
export interface StateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The transport to the server. It returns redirects instead of following them: the password is for one host. */
export interface Transport {
  /** Throws an `Error` unless a complete response came; the request may have arrived anyway. */
  send(request: StateRequest, signal?: AbortSignal): Promise<StateAnswer>;
  close(): Promise<void>;
}

/** The certificates of a connection, in PEM. */
export interface TransportTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The holder of a lock as Terraform writes it. The names of the fields are part of the protocol. */
export interface LockInfo {
  readonly id: string;
  readonly json: JsonObject;
}

/** The prefix of the ids of probing locks, taken for an instant to see whether a run holds the real one. */
const LOOK = "zoneform-look-";

/** The lock of a run. `Info` holds what has no field in Terraform. */
export function infoOf(holder: LockHolder, path: string): LockInfo {
  const { id, who, operation, since } = holder;
  return {
    id,
    json: {
      ID: id,
      Operation: operation,
      Info: JSON.stringify(encodeHolder(holder)),
      Who: who,
      Version: "zoneform",
      Created: since,
      Path: path,
    },
  };
}

/** A probing lock. */
export function lookInfo(uuid: string, path: string, now: number): LockInfo {
  const id = `${LOOK}${uuid}`;
  const json = { ID: id, Operation: "look", Info: "", Who: "zoneform", Version: "zoneform", Path: path };
  return { id, json: { ...json, Created: new Date(now).toISOString() } };
}

/** The least that frees a lock: its id. Some servers insist on the other fields. */
export function unlockInfo(id: string, path: string): LockInfo {
  return { id, json: { ID: id, Operation: "", Info: "", Who: "", Version: "zoneform", Created: "", Path: path } };
}

/** Whether it is a probing lock, which is gone in an instant. */
export function isLook(id: string | undefined): boolean {
  return id?.startsWith(LOOK) === true;
}

/** Who holds a lock, from the body of a refusal; undefined if the body does not say so. */
export function holderIn(body: string): LockHolder | undefined {
  const found = parseObject(body);
  const id = found && optionalText(found, "ID");
  if (!found || id === undefined || id === "") return undefined;
  const ours = decodeHolder(parseObject(optionalText(found, "Info") ?? "") ?? {});
  // GitLab repeats what the requesting client sent, except id, user and time.
  if (ours?.id === id) return ours;
  const isOfAsker = ours !== undefined;
  return decodeHolder({
    id,
    who: optionalText(found, "Who") ?? "somebody",
    operation: isOfAsker ? "something" : (optionalText(found, "Operation") ?? "something"),
    since: optionalText(found, "Created") ?? "an unknown time",
  });
}
