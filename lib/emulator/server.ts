import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_PREFIX } from "./answer.ts";
import type { ServiceRequest, ServiceResponse } from "./messages.ts";

/** Where a server listens. */
export interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Stops listening and closes what is open. */
  close(): Promise<void>;
}

/** The largest request body that is read. */
const BODY_BYTES = 4 * 1024 * 1024;

/** Serves a handler over HTTP; nothing of the service is decided here. The admin API is for this machine only. */
export async function listen(
  host: string,
  port: number,
  handle: (request: ServiceRequest) => ServiceResponse,
): Promise<Listening> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing, handle).catch((error: unknown) => outgoing.destroy(asError(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return { origin: originOf(server, host), close: () => closed(server) };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: ServiceRequest) => ServiceResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://emulator");
  if (url.pathname.startsWith(ADMIN_PREFIX) && !isLocal(incoming)) {
    outgoing.writeHead(403).end();
    return;
  }
  const body = await bodyOf(incoming);
  const request = {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: headersOf(incoming),
    ...(body === "" ? {} : { body }),
  };
  await write(outgoing, handle(request));
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

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > BODY_BYTES) throw new Error(`a request body has more than ${BODY_BYTES} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

function headersOf(incoming: IncomingMessage): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  return headers;
}

function isLocal(incoming: IncomingMessage): boolean {
  const address = incoming.socket.remoteAddress ?? "";
  return address === "::1" || address.replace(/^::ffff:/, "").startsWith("127.");
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function closed(server: Server): Promise<void> {
  const whenClosed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
  server.closeAllConnections();
  await whenClosed;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
