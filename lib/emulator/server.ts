import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { hostProblem, loopbackAddress, adminProblem } from "./access.ts";
import { toResponse } from "./answer.ts";
import { failure, type ServiceRequest, type ServiceResponse } from "./messages.ts";

/** Where to listen, and what protects the admin API. */
interface Where {
  /** The address. Only with an `adminToken` may it be other than loopback. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The token that calls of the admin API must send. */
  readonly adminToken?: string | undefined;
}

/** Answers requests that the service knows nothing of: a page, a stream. Returns whether the path is one of these. */
export type Aside = (incoming: IncomingMessage, path: string, outgoing: ServerResponse) => Promise<boolean>;

/** A server that listens. */
interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Stops listening, and closes all connections. */
  close(): Promise<void>;
}

/** The size of the largest request body that the server accepts. */
const BODY_BYTES = 4 * 1024 * 1024;

/**
 * Serves a handler over HTTP, and decides who may call it. What the handler throws is an error of the emulator: the client gets
 * the service's answer to an internal error, and `report` the error itself. Throws a NotLoopbackError for an address that other
 * machines could reach, if no token protects the admin API.
 */
export async function listen(
  where: Where,
  handle: (request: ServiceRequest) => ServiceResponse,
  report: (mistake: unknown) => void,
  aside?: Aside,
): Promise<Listening> {
  const address = where.adminToken === undefined ? await loopbackAddress(where.host) : where.host;
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    void serve(incoming, outgoing, where.adminToken, handle, report, aside);
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
  aside: Aside | undefined,
): Promise<void> {
  try {
    const why = hostProblem(incoming, adminToken !== undefined) ?? adminProblem(incoming, adminToken);
    if (why !== undefined) return await write(outgoing, toResponse(failure(403, { message: why })));
    const [path = "/"] = split(incoming.url ?? "/");
    if (incoming.method === "GET" && (await aside?.(incoming, path, outgoing)) === true) return;
    await write(outgoing, await answered(incoming, handle));
  } catch (mistake) {
    // The client closed the connection in the middle of its request: the emulator did not fail, and nobody waits for an answer.
    if (incoming.destroyed && !incoming.complete) return;
    report(mistake);
    if (outgoing.headersSent) outgoing.destroy();
    else await write(outgoing, toResponse(INTERNAL));
  }
}

/** Code 1500 is an internal error of custom hostnames (docs/service.md#custom-hostname-error-codes). Other calls publish no such code. */
const INTERNAL = failure(500, { code: 1500, message: "Internal error" });

async function answered(
  incoming: IncomingMessage,
  handle: (request: ServiceRequest) => ServiceResponse,
): Promise<ServiceResponse> {
  const body = await bodyOf(incoming);
  if (body === undefined)
    return toResponse(failure(413, { message: `the request body is longer than ${BODY_BYTES} bytes` }));
  const [path = "/", query = ""] = split(incoming.url ?? "/");
  return handle({
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: headersOf(incoming),
    ...(body === "" ? {} : { body }),
  });
}

/** Path and query of a request target, which may be a whole URL. Split by hand, because a URL parser throws for `//` and others. */
function split(target: string): readonly string[] {
  const [path = "", ...query] = target.replace(/^\w+:\/\/[^/?]*/, "").split("?");
  return [path === "" ? "/" : path, query.join("?")];
}

/** Answers bytes that are not HTTP and so never become a request, and closes the connection. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "the request's headers are too long"]
      : ["400 Bad Request", "the request cannot be read as HTTP"];
  const { body } = toResponse(failure(400, { message }));
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
  // An answer that is cut announces more bytes than it sends.
  const announced = response.connection === "cut" ? bytes * 2 + 1 : bytes;
  const length = response.status === 204 ? {} : { "content-length": announced };
  outgoing.writeHead(response.status, { ...response.headers, ...length });
  if (response.connection === "kept") outgoing.end(response.body);
  else outgoing.write(response.body, () => outgoing.destroy());
}

/** The body as text; undefined if it is too long. Even then it is read to its end, because a client may not read the answer before. */
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

/** The URL by which this machine can call the server. A wildcard such as 0.0.0.0 is no address to call. */
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
