import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** When a cut happens: before the server gets what the client sent, or after it has answered, so that the answer is lost. */
export type Cut = "before" | "after";

/** A TCP proxy that cuts connections where a test wants it. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts at the client's n-th message from now, counted over all connections. */
  cutAt(message: number, cut: Cut): void;
  /** Whether the cut that was asked for has happened. */
  hasCut(): boolean;
  /** How many statements the server has answered, without what each connection begins with: its start and its settings. */
  answered(): number;
  /** From now on: refuses connections and cuts those that there are, or lets them through. */
  setDown(isDown: boolean): void;
}

const READY_FOR_QUERY = 0x5a;

/** Counts the messages with which a server of PostgreSQL says that it is ready for the next statement. */
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

/** Starts a proxy to a port of this machine, which ends with the test. */
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
      // One letter is the answer to the question for TLS.
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
