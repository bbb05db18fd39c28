import { isObject, type JsonObject } from "../../lib/core/json.ts";
import type { StateAnswer, StateRequest, Transport } from "../../lib/state/engines/http/protocol.ts";

/**
 * How a server behaves. `terraform`: LOCK and UNLOCK on the state itself, and a write needs the id of the lock. `gitlab`: POST and
 * DELETE on `/lock`, exactly as GitLab does it. `careless`: like `terraform`, but it accepts a write with any id. `silent`: like
 * `terraform`, but a refusal does not name the holder.
 */
export type ServerMode = "terraform" | "gitlab" | "careless" | "silent";

/** A server of states in memory. */
export interface StateModel {
  /** Answers a request. A state is at `/states/NAME`. */
  handle(request: StateRequest): StateAnswer;
  /** The stored body of a state. */
  bodyOf(name: string): string | undefined;
  /** Replaces the body of a state, whoever holds its lock. */
  put(name: string, body: string): void;
  /** The id of the lock that is held on a state. */
  holderOf(name: string): string | undefined;
  /** Frees a lock, as somebody does on a web page of the server. */
  free(name: string): void;
  /** How many bodies were stored for a state. */
  writesOf(name: string): number;
  names(): readonly string[];
}

interface Cell {
  body: string | undefined;
  lock: JsonObject | undefined;
  writes: number;
}

/** The user whom GitLab names as the holder of every lock. */
const GITLAB_USER = "ci-user";

/** Creates an empty server. */
export function stateModel(mode: ServerMode = "terraform", now: () => number = Date.now): StateModel {
  const cells = new Map<string, Cell>();

  function cellOf(name: string): Cell {
    const cell = cells.get(name) ?? { body: undefined, lock: undefined, writes: 0 };
    cells.set(name, cell);
    return cell;
  }

  function handle({ method, url, body = "" }: StateRequest): StateAnswer {
    const { pathname, searchParams } = new URL(url);
    const [, name = "", lock] = /\/([^/]+?)(\/lock)?$/.exec(pathname.replace(/^.*\/states?(?=\/)/, "")) ?? [];
    if (mode === "gitlab" && lock !== undefined) return gitlabLock(name, method, body);
    if (method === "GET") return get(name);
    if (method === "POST") return post(name, searchParams.get("ID") ?? undefined, body);
    if (method === "LOCK" && mode !== "gitlab") return take(cellOf(name), parsed(body));
    if (method === "UNLOCK" && mode !== "gitlab") return release(cellOf(name), parsed(body));
    return answer(405);
  }

  function get(name: string): StateAnswer {
    const cell = cells.get(name);
    if (cell?.body !== undefined) return answer(200, cell.body);
    // GitLab already has a row for a state that was only locked.
    return answer(mode === "gitlab" && cell ? 204 : 404);
  }

  function post(name: string, id: string | undefined, body: string): StateAnswer {
    if (mode === "gitlab" && body === "") return answer(204);
    const cell = cellOf(name);
    const serial = parsed(body)?.["serial"];
    if (mode === "gitlab" && typeof serial !== "number") return answer(422, '{"message":"No serial in payload"}');
    const isAllowed = mode === "careless" || cell.lock?.["ID"] === id;
    // GitLab does not expect this error there, so it answers 500.
    if (!isAllowed) return mode === "gitlab" ? answer(500) : answer(409, mode === "silent" ? "" : text(cell.lock));
    cell.body = body;
    cell.writes += 1;
    return answer(200);
  }

  function take(cell: Cell, info: JsonObject | undefined): StateAnswer {
    if (typeof info?.["ID"] !== "string") return answer(400);
    if (cell.lock) return answer(423, mode === "silent" ? "the state is locked" : text(cell.lock));
    cell.lock = info;
    return answer(200, text(info));
  }

  function release(cell: Cell, info: JsonObject | undefined): StateAnswer {
    if (mode !== "careless" && cell.lock && cell.lock["ID"] !== info?.["ID"]) return answer(409, text(cell.lock));
    cell.lock = undefined;
    return answer(200);
  }

  function gitlabLock(name: string, method: string, body: string): StateAnswer {
    const info = parsed(body);
    const cell = cellOf(name);
    if (method === "POST") {
      const fields = ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"];
      if (!info || fields.some((field) => typeof info[field] !== "string")) return answer(400);
      const isHeld = cell.lock !== undefined;
      cell.lock ??= { ID: info["ID"] ?? "", Created: new Date(now()).toISOString() };
      // Id and time are those of the holder, and the user is always the same. The rest is what the caller itself has sent.
      return answer(isHeld ? 409 : 200, text({ ...info, ...cell.lock, Who: GITLAB_USER }));
    }
    if (method !== "DELETE") return answer(405);
    const id = info?.["ID"];
    // Without an id the lock is freed by force.
    if (id !== undefined && id !== (cell.lock?.["ID"] ?? "")) return answer(409);
    cell.lock = undefined;
    return answer(200);
  }

  return {
    handle,
    bodyOf: (name) => cells.get(name)?.body,
    put: (name, body) => {
      cellOf(name).body = body;
    },
    holderOf: (name) => {
      const id = cells.get(name)?.lock?.["ID"];
      return typeof id === "string" ? id : undefined;
    },
    free: (name) => {
      cellOf(name).lock = undefined;
    },
    writesOf: (name) => cells.get(name)?.writes ?? 0,
    names: () => [...cells.keys()].sort(),
  };
}

function parsed(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function text(info: JsonObject | undefined): string {
  return info === undefined ? "" : JSON.stringify(info);
}

function answer(status: number, body = ""): StateAnswer {
  return { status, headers: { "content-type": body.startsWith("{") ? "application/json" : "text/plain" }, body };
}

/** A transport to a model in this process. */
export function modelTransport(model: Pick<StateModel, "handle">): Transport {
  return { send: async (request) => model.handle(request), close: async () => undefined };
}
