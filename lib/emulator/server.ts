import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { written } from "./answer.ts";
import { failure } from "./envelope.ts";
import { foreignness, loopbackAddress } from "./loopback.ts";
import type { ServiceRequest, ServiceResponse } from "./messages.ts";

/** Where to listen: a loopback host, and a port, 0 for any free one. */
interface Where {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Stops listening and closes what is open. */
  close(): Promise<void>;
}

/** The largest request body that is read. */
const BODY_BYTES = 4 * 1024 * 1024;

/**
 * Serves a handler over HTTP, on loopback only; nothing of the service is decided here. Every request is answered in the
 * envelope: what the handler throws is a mistake of ours, answered as the service does its own, and handed to `report`.
 * Throws a NotLoopbackError for another host.
 */
export async function listen(
  where: Where,
  handle: (request: ServiceRequest) => ServiceResponse,
  report: (mistake: unknown) => void,
): Promise<Listening> {
  const address = await loopbackAddress(where.host);
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    void serve(incoming, outgoing, handle, report);
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
  handle: (request: ServiceRequest) => ServiceResponse,
  report: (mistake: unknown) => void,
): Promise<void> {
  try {
    await write(outgoing, await answered(incoming, handle));
  } catch (mistake) {
    // A client that goes away in the middle of its request is no mistake of ours, and nobody is there to answer.
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
  handle: (request: ServiceRequest) => ServiceResponse,
): Promise<ServiceResponse> {
  const why = foreignness(incoming);
  if (why !== undefined) return written(failure(403, { message: why }));
  const body = await bodyOf(incoming);
  if (body === undefined)
    return written(failure(413, { message: `a request body may have ${BODY_BYTES} bytes at most` }));
  const [path = "/", query = ""] = split(incoming.url ?? "/");
  return handle({
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: headersOf(incoming),
    ...(body === "" ? {} : { body }),
  });
}

/** Path and query of a target, which may be a whole URL. Taken as they are: a URL parser throws for some, such as `//`. */
function split(target: string): readonly string[] {
  const [path = "", ...query] = target.replace(/^\w+:\/\/[^/?]*/, "").split("?");
  return [path === "" ? "/" : path, query.join("?")];
}

/** What is no HTTP never becomes a request; it is answered all the same, and the connection closed. */
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
  // A cut answer announces more than it brings.
  const announced = response.connection === "cut" ? bytes * 2 + 1 : bytes;
  const length = response.status === 204 ? {} : { "content-length": announced };
  outgoing.writeHead(response.status, { ...response.headers, ...length });
  if (response.connection === "kept") outgoing.end(response.body);
  else outgoing.write(response.body, () => outgoing.destroy());
}

/** The body as text; undefined for one that is too long, which is read to its end so that the answer gets through. */
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

function originOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the emulator listens on no port");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

async function closed(server: Server): Promise<void> {
  const whenClosed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
  server.closeAllConnections();
  await whenClosed;
}
