import { readFault } from "./admin/fault-input.ts";
import type { ServiceResponse } from "./messages.ts";
import { failure, type Reply } from "./envelope.ts";
import type { Fault } from "./faults.ts";
import { InputError } from "./input.ts";

const THROTTLE_TEXTS = {
  10100: "More than 1200 requests per 300 seconds reached. Please wait and consider throttling your request speed",
  971: "Please wait and consider throttling your request speed",
} as const;

const HTML = "<html><head><title>error</title></head><body><h1>The web server reported an error</h1></body></html>";

/** The fault that a request brings in its `X-Emulator-Fault` header: a kind, or a JSON object. Throws an InputError for a bad one. */
export function orderedByHeader(headers: Readonly<Record<string, string | undefined>>): Fault | undefined {
  const text = headers["x-emulator-fault"];
  if (text === undefined) return undefined;
  return readFault(text.trimStart().startsWith("{") ? parsed(text) : { kind: text.trim() });
}

/** The answer of a fault that keeps the request from taking effect; undefined when it goes through. */
export function answerBefore(fault: Fault | undefined): Reply | undefined {
  if (fault?.kind === "throttle") return throttled(fault);
  if (fault?.kind === "status" && !fault.after) return broken(fault.status);
  if (fault?.kind === "html" || fault?.kind === "lost-request") return broken(502);
  return undefined;
}

/** What is left of an answer after the fault. */
export function breakAfter(fault: Fault | undefined, response: ServiceResponse): ServiceResponse {
  switch (fault?.kind) {
    case "status":
      return fault.after
        ? { ...response, status: fault.status, body: JSON.stringify(broken(fault.status).body) }
        : response;
    case "lost-request":
    case "lost-reply":
      return { ...response, body: "", connection: "destroyed" };
    case "slow":
      return { ...response, delayMilliseconds: fault.milliseconds };
    case "truncated":
      return { ...response, body: response.body.slice(0, Math.floor(response.body.length / 2)), connection: "cut" };
    case "html":
      return {
        ...response,
        status: fault.status,
        headers: { ...response.headers, "content-type": "text/html" },
        body: HTML,
      };
    case "throttle":
    case "stale-list":
    case "reordered-list":
    case "shifted-list":
    case undefined:
      return response;
    default:
      return fault satisfies never;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError("x-emulator-fault", "is neither a kind nor a JSON object");
  }
}

function throttled(fault: Extract<Fault, { kind: "throttle" }>): Reply {
  const headers = { "retry-after": String(fault.retryAfter) };
  return failure(
    fault.status,
    { code: fault.code, message: THROTTLE_TEXTS[fault.code] },
    fault.status === 429 ? headers : {},
  );
}

/** 1500 is "internal" for custom hostnames (public fact, section 2.7); other services have no better one. */
function broken(status: number): Reply {
  return failure(status, { code: 1500, message: "Internal error" });
}
