import type { IncomingMessage, ServerResponse } from "node:http";
import { ADMIN_PREFIX } from "./answer.ts";
import type { Core } from "./core.ts";
import type { RequestLog, SeenRequest } from "./request-log.ts";
import type { Aside } from "./server.ts";

/**
 * The page at `/`, and the stream of requests that it follows. The page does everything else by the admin API.
 * `isGuarded`: the admin API asks for a token, so the page does too.
 */
export function createPage({ log }: Core, isGuarded: boolean): Aside {
  return async (incoming, path, outgoing) => {
    if (path === "/") await servePage(outgoing, isGuarded);
    else if (path === `${ADMIN_PREFIX}/events`) streamRequests(log, incoming, outgoing);
    else return false;
    return true;
  };
}

async function servePage(outgoing: ServerResponse, isGuarded: boolean): Promise<void> {
  // Loaded when somebody looks at it, which an emulator in CI never sees.
  const { pageDocument, policy } = await import("#emulator-page");
  const page = pageDocument({
    title: "Zoneform emulator",
    data: { isGuarded },
    markup: "<p>This page needs JavaScript. Without it, use the admin API at <code>/_admin</code>.</p>",
  });
  outgoing.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  outgoing.end(page);
}

/** A client that is this many bytes behind is cut off. It comes back, and gets the latest requests. */
const MOST_BYTES_BEHIND = 4 * 1024 * 1024;

/**
 * Sends the latest requests, or those after the one that `Last-Event-ID` names, and from then on each as it is answered, as
 * server-sent events. `forgotten` says that the log was emptied.
 */
function streamRequests(log: RequestLog, { headers }: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const send = (request: SeenRequest | null): void => {
    if (outgoing.writableLength > MOST_BYTES_BEHIND) return void outgoing.destroy();
    const event =
      request === null ? "event: forgotten\ndata: null" : `id: ${request.number}\ndata: ${JSON.stringify(request)}`;
    outgoing.write(`${event}\n\n`);
  };
  outgoing.write(": the requests to the service\n\n");
  const last = Number(headers["last-event-id"] ?? 0);
  const recent = log.recent();
  // The number of an emulator that has started again since is larger than ours.
  const isOurs = last <= (recent.at(-1)?.number ?? 0);
  for (const request of recent) if (!isOurs || request.number > last) send(request);
  outgoing.on("close", log.follow(send));
}
