import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const [SSL_REQUEST, PROTOCOL] = [80_877_103, 196_608];
const [READY, TERMINATE, IDLE] = [0x5a, 0x58, 0x49];

/** A session of the server that clients use in turn. */
interface Link {
  readonly socket: Socket;
  /** What the server sent when the session began, to send it to later clients. */
  readonly greeting: Buffer;
  owner: Client | undefined;
  readonly waiting: Client[];
}

interface Client {
  readonly socket: Socket;
  pending: Buffer[];
  /** The session that the client uses until its transaction ends. */
  link?: Promise<Link> | undefined;
}

/**
 * Starts a pooler in front of a server that trusts everybody, and stops it at the end of the test. Like real poolers it answers
 * the start of a client itself. In mode `session` each client has its own session of the server. Otherwise all clients share
 * this many sessions, and get the next one for each transaction.
 */
export async function startPooler(to: number, mode: "session" | { readonly sessions: number }): Promise<number> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy());
  };
  const openLink = (): Promise<Link> => startSession(keep(connect(to, "127.0.0.1")));
  const shared = mode === "session" ? [] : Array.from({ length: mode.sessions }, openLink);
  let turn = 0;

  const server = createServer((socket) => {
    const client: Client = { socket: keep(socket), pending: [] };
    let own: Promise<Link> | undefined;
    const next = (): Promise<Link> => shared[turn++ % shared.length] ?? (own ??= openLink());
    let isGreeted = false;
    socket.on("data", (bytes) => {
      if (isGreeted) void (client.link ??= next()).then((each) => forward(each, client, bytes));
      else if (bytes.readInt32BE(4) === SSL_REQUEST) socket.write("N");
      else {
        isGreeted = true;
        void next().then(({ greeting }) => socket.write(greeting));
      }
    });
    socket.on("close", () => void own?.then((each) => each.socket.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

async function startSession(socket: Socket): Promise<Link> {
  await once(socket, "connect");
  const body = Buffer.from("user\0tester\0database\0postgres\0client_encoding\0UTF8\0\0");
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(PROTOCOL, 4);
  socket.write(Buffer.concat([head, body]));
  let rest: Buffer = Buffer.alloc(0);
  let greeted: (greeting: Buffer) => void = () => undefined;
  const greeting = new Promise<Buffer>((resolve) => {
    greeted = resolve;
  });
  const before: Buffer[] = [];
  let link: Link | undefined;
  socket.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (let length = lengthOf(rest); length !== undefined && rest.length >= length; length = lengthOf(rest)) {
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (link) answer(link, message);
      // The client gets another key than that of the server's session, as from a real pooler.
      else before.push(message[0] === 0x4b ? otherKey(message) : message);
      if (!link && message[0] === READY) greeted(Buffer.concat(before));
    }
  });
  link = { socket, greeting: await greeting, owner: undefined, waiting: [] };
  return link;
}

function lengthOf(bytes: Buffer): number | undefined {
  return bytes.length < 5 ? undefined : bytes.readInt32BE(1) + 1;
}

function otherKey(message: Buffer): Buffer {
  const copy = Buffer.from(message);
  copy.writeInt32BE(message.readInt32BE(5) + 1_000_000, 5);
  return copy;
}

function forward(link: Link, client: Client, bytes: Buffer): void {
  if (bytes[0] === TERMINATE) return void client.socket.end();
  client.pending.push(bytes);
  if (link.owner === undefined) link.owner = client;
  if (link.owner !== client) {
    if (!link.waiting.includes(client)) link.waiting.push(client);
    return;
  }
  for (const each of client.pending.splice(0)) link.socket.write(each);
}

function answer(link: Link, message: Buffer): void {
  link.owner?.socket.write(message);
  if (message[0] !== READY || message[5] !== IDLE) return;
  if (link.owner) link.owner.link = undefined;
  link.owner = link.waiting.shift();
  for (const each of link.owner?.pending.splice(0) ?? []) link.socket.write(each);
}
