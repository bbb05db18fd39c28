import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { undiciHttp } from "../../lib/service/undici-http.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type HttpOptions, httpStores } from "../../lib/state/engines/http/engine.ts";
import type { StateAnswer, StateRequest } from "../../lib/state/engines/http/protocol.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { type ServerMode, type StateModel, stateModel } from "./http-state-model.ts";
import { random, steadyAs } from "./state-world.ts";

/**
 * What happens to one request: it gets this answer; it never arrives (`cut-before`); its answer is lost (`cut-after`); or it
 * arrives, and never gets an answer (`never`).
 */
export type Happening = StateAnswer | "cut-before" | "cut-after" | "never" | undefined;

/** The password in the variables of each server. */
export const PASSWORD = "correct-horse-battery";

/** A model that answers over real HTTP on this machine. */
export interface HttpStateServer {
  readonly model: StateModel;
  /** The address for `--state`. */
  readonly address: string;
  /** Terraform's variables for it. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request that arrived, in order. */
  readonly requests: readonly StateRequest[];
  /** Calls this before it answers a request, to learn what happens to the request. */
  interfere(happens: (request: StateRequest) => Happening): void;
  /** Opens stores on it, and closes them at the end of the test. Each call is like another process. */
  open(options?: Partial<HttpOptions>): StateStores;
}

/** Starts a server, and stops it at the end of the test. */
export async function startHttpStates(mode: ServerMode = "terraform"): Promise<HttpStateServer> {
  const model = stateModel(mode);
  const requests: StateRequest[] = [];
  let happens: (request: StateRequest) => Happening = () => undefined;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = await requestOf(incoming);
    requests.push(request);
    const happening = happens(request);
    const found = typeof happening === "object" || happening === "cut-before" ? happening : model.handle(request);
    if (happening === "never") return;
    if (happening === "cut-after" || typeof found !== "object") incoming.socket.destroy();
    else outgoing.writeHead(found.status, found.headers).end(found.body);
  };
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const found = server.address();
  const port = typeof found === "object" && found !== null ? found.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const isGitlab = mode === "gitlab";
  const address = isGitlab ? `${origin}/api/v4/projects/42/terraform/state` : `${origin}/states`;
  const env: Readonly<Record<string, string>> = {
    TF_HTTP_USERNAME: "robot",
    TF_HTTP_PASSWORD: PASSWORD,
    ...(isGitlab ? {} : { TF_HTTP_LOCK_ADDRESS: `${address}/{state}` }),
  };
  return {
    model,
    address,
    env,
    requests,
    interfere: (asked) => {
      happens = asked;
    },
    open: (options = {}) => {
      const connect = (): ReturnType<HttpOptions["connect"]> => undiciHttp({ bodyLimitBytes: 1024 ** 3 });
      const { clock = realClock, steady = steadyAs(clock) } = options;
      const stores = httpStores(address, { env, random, connect, ...options, clock, steady });
      onTestFinished(() => stores.close());
      return stores;
    },
  };
}

async function requestOf(incoming: IncomingMessage): Promise<StateRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const url = `http://${incoming.headers.host ?? ""}${incoming.url ?? ""}`;
  return { method: incoming.method ?? "", url, headers, body: Buffer.concat(chunks).toString("utf8") };
}
