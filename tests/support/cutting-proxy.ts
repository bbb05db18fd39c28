import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** When to cut: before the server gets what the client sent, or after it has answered, so that the answer is lost. */
export type Cut = "before" | "after";

/** A TCP proxy that cuts connections when a test says so. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts at the client's nth message from now, counted over all connections. */
  cutAt(message: number, cut: Cut): void;
  /** Whether the cut that was asked for has happened. */
  hasCut(): boolean;
  /** How many statements the server has answered, without the start and the settings of each connection. */
  answered(): number;
  /** From now on refuses connections and cuts the open ones, or lets all through again. */
  setDown(isDown: boolean): void;
}

const READY_FOR_QUERY = 0x5a;

/** Counts the messages by which a PostgreSQL server says that it is ready for the next statement. */
function readyCounter(): { readonly read: (bytes: Buffer) => void; readonly count: () => number } {
  let count = 0;
  let rest = Buffer.alloc(0);
  const read = (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === READY_FOR_QUERY) count += 1;
      rest = rest.subarray(1 + rest.readInt32BE(1));
    }
  };
  return { read, count: () => count };
}

/** Starts a proxy to a port of this machine, and stops it at the end of the test. */
export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let kind: Cut = "before";
  let hasCut = false;
  let isDown = false;
  const counters: (() => number)[] = [];

  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    let losesAnswer = false;
    const ready = readyCounter();
    counters.push(ready.count);
    const end = (): void => {
      for (const socket of [client, upstream]) {
        open.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    if (isDown) return end();
    client.on("data", (bytes) => {
      left -= 1;
      if (left === 0) hasCut = true;
      if (left === 0 && kind === "before") return end();
      losesAnswer ||= left === 0;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      // A single letter answers the question whether to use TLS.
      if (bytes.length > 1) ready.read(bytes);
      if (losesAnswer) end();
      else client.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cutAt: (message, cut) => {
      [left, kind, hasCut] = [message, cut, false];
    },
    hasCut: () => hasCut,
    answered: () => counters.reduce((sum, count) => sum + Math.max(0, count() - 2), 0),
    setDown: (down) => {
      isDown = down;
      if (down) for (const socket of open) socket.destroy();
    },
  };
}
