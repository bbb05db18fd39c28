import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { isList, type Json } from "../../../lib/core/json.ts";

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
  /** How many of a list one answer has unless `per_page` says otherwise; absent: all of them. */
  readonly pageSize?: number;
}

/** Serves an API on loopback until the test ends, and gives its address without the base. */
export async function serveApi<Known extends Route>(api: Api<Known>): Promise<string> {
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const call = await callOf(request, api.base);
      const [status, all] = await answer(api, call).catch((thrown: unknown) => [500, String(thrown)] as const);
      const { found, next } = pageOf(all, call, api.pageSize);
      if (next)
        response.setHeader(
          "link",
          `<http://${request.headers.host}${api.base}${call.path}?${next.toString()}>; rel="next"`,
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

/** The page that a call asks for, and the query of the next one. */
function pageOf(
  found: Json | Buffer,
  { query }: Call,
  pageSize: number | undefined,
): { readonly found: Json | Buffer; readonly next?: URLSearchParams } {
  if (pageSize === undefined || Buffer.isBuffer(found) || !isList(found)) return { found };
  const [size, page] = [Number(query.get("per_page") ?? pageSize), Number(query.get("page") ?? 1)];
  const next = new URLSearchParams([...query].filter(([name]) => name !== "page"));
  next.set("page", String(page + 1));
  return { found: found.slice((page - 1) * size, page * size), ...(page * size < found.length ? { next } : {}) };
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
