import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { foreignness, loopbackAddress, unauthorised } from "./access.ts";
import { written } from "./answer.ts";
import { failure, type ServiceRequest, type ServiceResponse } from "./messages.ts";

/** Where to listen, and for whom. */
interface Where {
  /** Loopback, unless there is an `adminToken`. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** What guards the admin API. */
  readonly adminToken?: string | undefined;
}

/** A server that listens. */
interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Stops listening and closes what is open. */
  close(): Promise<void>;
}

/** The largest request body that is read. */
const BODY_BYTES = 4 * 1024 * 1024;

/**
 * Serves a handler over HTTP. It decides who may call, and knows nothing of the service. Every request is answered in the
 * envelope: what the handler throws is a failure of the emulator, answered as the service answers its own, and passed to
 * `report`. Throws a NotLoopbackError for an address that others reach, where no token guards the admin API.
 */
export async function listen(
  where: Where,
  handle: (request: ServiceRequest) => ServiceResponse,
  report: (mistake: unknown) => void,
): Promise<Listening> {
  const address = where.adminToken === undefined ? await loopbackAddress(where.host) : where.host;
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    void serve(incoming, outgoing, where.adminToken, handle, report);
  });
  server.on("clientError", refuseUnread);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where.port, address, resolve);
  });
  return { origin: originOf(server, where.host), close: () => closed(server) };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  adminToken: string | undefined,
  handle: (request: ServiceRequest) => ServiceResponse,
  report: (mistake: unknown) => void,
): Promise<void> {
  try {
    await write(outgoing, await answered(incoming, adminToken, handle));
  } catch (mistake) {
    // The client closed the connection in the middle of its request: nothing failed here, and nobody waits for an answer.
    if (incoming.destroyed && !incoming.complete) return;
    report(mistake);
    if (outgoing.headersSent) outgoing.destroy();
    else await write(outgoing, written(INTERNAL));
  }
}

/** 1500 is "internal" for custom hostnames (docs/service.md#custom-hostname-error-codes); other services have no better one. */
const INTERNAL = failure(500, { code: 1500, message: "Internal error" });

async function answered(
  incoming: IncomingMessage,
  adminToken: string | undefined,
  handle: (request: ServiceRequest) => ServiceResponse,
): Promise<ServiceResponse> {
  const why = foreignness(incoming, adminToken !== undefined) ?? unauthorised(incoming, adminToken);
  if (why !== undefined) return written(failure(403, { message: why }));
  const body = await bodyOf(incoming);
  if (body === undefined)
    return written(failure(413, { message: `the request body is longer than ${BODY_BYTES} bytes` }));
  const [path = "/", query = ""] = split(incoming.url ?? "/");
  return handle({
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: headersOf(incoming),
    ...(body === "" ? {} : { body }),
  });
}

/** Path and query of a target, which may be a whole URL. Split by hand, because a URL parser throws for some, such as `//`. */
function split(target: string): readonly string[] {
  const [path = "", ...query] = target.replace(/^\w+:\/\/[^/?]*/, "").split("?");
  return [path === "" ? "/" : path, query.join("?")];
}

/** Answers what is not HTTP, which never becomes a request, and closes the connection. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "the request's headers are too long"]
      : ["400 Bad Request", "the request cannot be read as HTTP"];
  const { body } = written(failure(400, { message }));
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
}

async function write(outgoing: ServerResponse, response: ServiceResponse): Promise<void> {
  if (response.delayMilliseconds > 0) await sleep(response.delayMilliseconds);
  if (response.connection === "destroyed") {
    outgoing.destroy();
    return;
  }
  const bytes = Buffer.byteLength(response.body);
  // An answer that is cut short announces more bytes than it sends.
  const announced = response.connection === "cut" ? bytes * 2 + 1 : bytes;
  const length = response.status === 204 ? {} : { "content-length": announced };
  outgoing.writeHead(response.status, { ...response.headers, ...length });
  if (response.connection === "kept") outgoing.end(response.body);
  else outgoing.write(response.body, () => outgoing.destroy());
}

/** The body as text; undefined for one that is too long. That one is read to its end too, because a client may read the answer only then. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size <= BODY_BYTES) parts.push(bytes);
  }
  return size > BODY_BYTES ? undefined : Buffer.concat(parts).toString("utf8");
}

function headersOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

/** The URL at which this machine reaches the server. Nobody can call a wildcard such as 0.0.0.0. */
function originOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the emulator does not listen on a port");
  const reachable = WILDCARDS[address.address] ?? host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${address.port}`;
}

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

async function closed(server: Server): Promise<void> {
  const whenClosed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
  server.closeAllConnections();
  await whenClosed;
}
