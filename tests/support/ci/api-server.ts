import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import type { Json } from "../../../lib/core/json.ts";

/** A request to an API. */
export interface Call {
  readonly method: string;
  /** What follows the base of the API, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A call that an API knows. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** The answer, for what the groups of the path stand for; undefined if there is no such thing. */
  readonly act: (parts: readonly string[], call: Call) => Found | Promise<Found>;
}

type Found = Json | Buffer | undefined;

/** An API: what it knows, and why it refuses a call of that. */
export interface Api<Known extends Route> {
  /** Whose it is, for the error about a call that the tests do not know. */
  readonly host: string;
  /** What each path begins with. */
  readonly base: string;
  readonly routes: readonly Known[];
  readonly refuse: (call: Call, route: Known) => readonly [status: number, words: string] | undefined;
}

/** Serves an API on loopback until the test ends, and gives its address without the base. */
export async function serveApi<Known extends Route>(api: Api<Known>): Promise<string> {
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const [status, found] = await answer(api, await callOf(request, api.base)).catch(
        (thrown: unknown) => [500, String(thrown)] as const,
      );
      response.writeHead(status).end(Buffer.isBuffer(found) ? found : JSON.stringify(found));
    };
    void respond();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

async function callOf(request: IncomingMessage, base: string): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return {
    method: request.method ?? "",
    path: pathname.replace(base, ""),
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(pieces).toString("utf8"),
  };
}

async function answer<Known extends Route>(
  { host, routes, refuse }: Api<Known>,
  call: Call,
): Promise<readonly [status: number, found: Json | Buffer]> {
  const { method, path } = call;
  const route = routes.find((each) => each.method === method && each.path.test(path));
  if (!route) return [501, `the ${host} of the tests does not know ${method} ${path}`];
  const refused = refuse(call, route);
  if (refused) return refused;
  const found = await route.act([...(route.path.exec(path) ?? [])].slice(1), call);
  return found === undefined ? [404, "Not Found"] : [200, found];
}
