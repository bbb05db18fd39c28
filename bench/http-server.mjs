// A server of Terraform's HTTP backend, in memory and on loopback, for the benches and `npm run crash:kill`. It counts requests.
// Like Gitea and GitLab it accepts a body or an unlock only with the id of the lock.
import { createServer } from "node:http";

/** Starts the server. */
export async function startHttpServer() {
  const [bodies, locks] = [new Map(), new Map()];
  let requests = 0;
  let largest = 0;
  const answers = {
    GET: (name) => (bodies.has(name) ? [200, bodies.get(name)] : [404, ""]),
    POST: (name, body, id) => (idOf(name) === id ? [200, "", bodies.set(name, body)] : [409, locks.get(name) ?? ""]),
    LOCK: (name, body) => (locks.has(name) ? [423, locks.get(name)] : [200, "", locks.set(name, body)]),
    UNLOCK: (name, body) =>
      idOf(name) === JSON.parse(body).ID ? [200, "", locks.delete(name)] : [409, locks.get(name) ?? ""],
  };
  const idOf = (name) => (locks.has(name) ? JSON.parse(locks.get(name)).ID : undefined);
  const serve = async (request, response) => {
    requests += 1;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
    const id = searchParams.get("ID") ?? undefined;
    const sent = Buffer.concat(chunks);
    if (request.method === "POST") largest = Math.max(largest, sent.length);
    const [status, body] = answers[request.method](pathname, sent, id);
    response.writeHead(status).end(body);
  };
  const listening = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    listening.closeAllConnections();
    listening.close();
  };
  const address = `http://127.0.0.1:${listening.address().port}/states`;
  return {
    address,
    env: { TF_HTTP_LOCK_ADDRESS: `${address}/{state}` },
    count: () => requests,
    /** How many bytes the largest stored state has. */
    size: () => Math.max(...[...bodies.values()].map((body) => body.length)),
    /** How many bytes the largest body had that was sent since the last call of this function. */
    largest: () => {
      const found = largest;
      largest = 0;
      return found;
    },
    /** The locks that are held: the name of the state and the id of its lock. */
    held: () => [...locks.keys()].map((path) => [path.split("/").at(-1), idOf(path)]),
    stop,
  };
}
