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
  /** From now on: refuses connections and cuts those that there are, or lets them through. */
  setDown(isDown: boolean): void;
}

/** Starts a proxy to a port of this machine, which ends with the test. */
export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let kind: Cut = "before";
  let hasCut = false;
  let isDown = false;

  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    let losesAnswer = false;
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
    setDown: (down) => {
      isDown = down;
      if (down) for (const socket of open) socket.destroy();
    },
  };
}
