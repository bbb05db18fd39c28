// A server of Terraform's states in memory, on loopback, for benches. It counts requests.
import { createServer } from "node:http";

/** Starts it. */
export async function startHttpServer() {
  const [bodies, locks] = [new Map(), new Map()];
  let requests = 0;
  const answers = {
    GET: (name) => (bodies.has(name) ? [200, bodies.get(name)] : [404, ""]),
    POST: (name, body) => [200, "", bodies.set(name, body)],
    LOCK: (name, body) => (locks.has(name) ? [423, locks.get(name)] : [200, "", locks.set(name, body)]),
    UNLOCK: (name) => [200, "", locks.delete(name)],
  };
  const serve = async (request, response) => {
    requests += 1;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    const [status, body] = answers[request.method](pathname, Buffer.concat(chunks));
    response.writeHead(status).end(body);
  };
  const listening = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    listening.closeAllConnections();
    listening.close();
  };
  const address = `http://127.0.0.1:${listening.address().port}/states`;
  return { address, env: { TF_HTTP_LOCK_ADDRESS: `${address}/{state}` }, count: () => requests, stop };
}
