import { lookup } from "node:dns";
import { isIP } from "node:net";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { checkedLookup, forbidden, type Lookup, mayConnect } from "./endpoint.ts";
import { type Http, HttpFailure, type HttpRequest, type HttpResponse, networkFailure } from "./http.ts";

/** Time limits for each stage of an exchange, and the largest response. */
export interface UndiciHttpOptions {
  readonly connectMilliseconds?: number;
  /** From writing the request to the response's headers. */
  readonly headersMilliseconds?: number;
  /** The whole exchange, so that a response of one byte a second ends too. */
  readonly totalMilliseconds?: number;
  readonly bodyLimitBytes?: number;
  /** Certificates in PEM: the authority of the server, and our own with its key. Default: what Node trusts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** How to look up names; the system's lookup when absent. */
  readonly lookup?: Lookup;
}

/** `Http` over the network, with a way to close its connections. */
export interface NetworkHttp extends Http {
  /** Waits for running exchanges and closes idle connections, so that the process can end. */
  close(): Promise<void>;
}

const CONNECT_MILLISECONDS = 10_000;
/** The service's own timeouts are about 100 s; a write that takes longer than a minute is looked up instead. */
const HEADERS_MILLISECONDS = 60_000;
/** Between two chunks of the body. */
const BODY_MILLISECONDS = 30_000;
const TOTAL_MILLISECONDS = 180_000;
/**
 * A page of 1,000 hostnames with full certificates and metadata stays under 16 MiB; a response above this limit is an
 * attack or a fault.
 */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Callers limit what they run at once; this only keeps a bug from opening thousands of sockets. */
const CONNECTIONS = 32;

/**
 * The network: HTTP/1.1 by undici with a dispatcher of its own. No global setting, no proxy variable of the environment
 * and no name that resolves to a forbidden address can decide where a credential goes. Redirects are returned, not
 * followed; compression is not requested. undici is loaded at the first request.
 *
 * It uses its own handler and not `request`, because only the handler learns when the first byte is about to be
 * written: that moment separates "nothing was sent" from "may have taken effect".
 */
export function undiciHttp(options: UndiciHttpOptions = {}): NetworkHttp {
  let agent: Promise<Agent> | undefined;
  return {
    send: async (request, signal) => {
      agent ??= openAgent(options);
      return exchange(await agent, request, options, signal);
    },
    close: async () => {
      const opened = await agent;
      agent = undefined;
      await opened?.close();
    },
  };
}

async function openAgent(options: UndiciHttpOptions): Promise<Agent> {
  const undici = await import("undici");
  return new undici.Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    connect: connector(undici.buildConnector, options),
    headersTimeout: options.headersMilliseconds ?? HEADERS_MILLISECONDS,
    bodyTimeout: BODY_MILLISECONDS,
  });
}

/**
 * Connects only to addresses that may get a credential. It checks after the name is resolved, before anything is sent.
 */
function connector(build: typeof buildConnector, options: UndiciHttpOptions): buildConnector.connector {
  const timeout = options.connectMilliseconds ?? CONNECT_MILLISECONDS;
  const [encrypted, plain] = [true, false].map((isEncrypted) =>
    build({ ...options.tls, timeout, lookup: checkedLookup(options.lookup ?? lookup, isEncrypted) }),
  );
  return (target, done) => {
    const isEncrypted = target.protocol === "https:";
    const isRefused = isIP(target.hostname) !== 0 && !mayConnect(target.hostname, isEncrypted);
    const connect = isEncrypted ? encrypted : plain;
    if (isRefused || !connect) done(forbidden(target.hostname), null);
    else connect(target, done);
  };
}

/** A running exchange. `stop` is set once the request is on a connection. */
interface Progress {
  sent: boolean;
  stopped: HttpFailure | undefined;
  stop: ((cause: Error) => void) | undefined;
}

function exchange(
  agent: Agent,
  request: HttpRequest,
  options: UndiciHttpOptions,
  signal: AbortSignal | undefined,
): Promise<HttpResponse> {
  const progress: Progress = { sent: false, stopped: undefined, stop: undefined };
  return new Promise((resolve, reject) => {
    const end = (failure: HttpFailure): void => {
      progress.stopped ??= failure;
      progress.stop?.(failure);
      reject(progress.stopped);
    };
    const release = stopWhen(progress, options.totalMilliseconds ?? TOTAL_MILLISECONDS, signal, end);
    const handler = receive(progress, request.mayLeave, options.bodyLimitBytes ?? BODY_LIMIT_BYTES, {
      whole: (response) => {
        release();
        resolve(response);
      },
      failed: (failure) => {
        release();
        end(failure);
      },
    });
    if (progress.stopped === undefined) dispatch(agent, request, handler);
  });
}

/** Ends the exchange when its time is over or the caller gives up; returns a function that removes both watches. */
function stopWhen(
  progress: Progress,
  totalMilliseconds: number,
  signal: AbortSignal | undefined,
  end: (failure: HttpFailure) => void,
): () => void {
  const late = (): void =>
    end(new HttpFailure(`no whole answer in ${totalMilliseconds} ms`, progress.sent, { reason: "timeout" }));
  const aborted = (): void =>
    end(new HttpFailure("the call was aborted", progress.sent, { reason: "aborted", cause: signal?.reason }));
  const timer = setTimeout(late, totalMilliseconds);
  signal?.addEventListener("abort", aborted, { once: true });
  const release = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
  };
  if (signal?.aborted === true) {
    release();
    aborted();
  }
  return release;
}

function dispatch(agent: Agent, request: HttpRequest, handler: Dispatcher.DispatchHandler): void {
  const { origin, pathname, search } = new URL(request.url);
  const { method, headers, body } = request;
  agent.dispatch({ origin, path: `${pathname}${search}`, method, headers, body: body ?? null }, handler);
}

function receive(
  progress: Progress,
  mayLeave: HttpRequest["mayLeave"],
  bodyLimitBytes: number,
  on: { whole: (response: HttpResponse) => void; failed: (failure: HttpFailure) => void },
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  return {
    onRequestStart: (controller) => {
      progress.stop = (cause) => controller.abort(cause);
      if (progress.stopped === undefined && mayLeave?.() === false) progress.stopped = tooLate();
      if (progress.stopped === undefined) progress.sent = true;
      else controller.abort(progress.stopped);
    },
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode;
      headers = plainHeaders(received);
    },
    onResponseData: (_controller, chunk) => {
      bytes += chunk.length;
      if (bytes <= bodyLimitBytes) chunks.push(chunk);
      else
        on.failed(new HttpFailure(`the answer is larger than ${bodyLimitBytes} bytes`, true, { reason: "too-large" }));
    },
    onResponseEnd: () => on.whole({ status, headers, body: Buffer.concat(chunks).toString("utf8") }),
    onResponseError: (_controller, cause) => on.failed(networkFailure(cause, progress.sent)),
  };
}

function tooLate(): HttpFailure {
  return new HttpFailure("the connection took so long that the call might not leave any more", false, {
    reason: "late",
  });
}

function plainHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in received) {
    const value = received[name];
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}
