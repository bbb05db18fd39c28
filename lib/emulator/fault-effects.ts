import { type Fault, readFault } from "./faults.ts";
import { failure, type Reply, type ServiceResponse, success } from "./messages.ts";
import { InputError } from "./input.ts";
import { isObject, type Json } from "./json.ts";

const THROTTLE_TEXTS = {
  10100: "More than 1200 requests per 300 seconds reached. Please wait and consider throttling your request speed",
  971: "Please wait and consider throttling your request speed",
} as const;

const HTML = "<html><head><title>error</title></head><body><h1>The web server reported an error</h1></body></html>";

/** JSON of an API gateway, which does not use the service's envelope. */
const GATEWAY_JSON = JSON.stringify({ message: "not allowed by the gateway", errors: [{ message: "not allowed" }] });

/** The fault in the `X-Emulator-Fault` header of a request: a kind, or a JSON object. Throws an InputError for a bad one. */
export function faultInHeader(headers: Readonly<Record<string, string | undefined>>): Fault | undefined {
  const text = headers["x-emulator-fault"];
  if (text === undefined) return undefined;
  return readFault(text.trimStart().startsWith("{") ? parse(text) : { kind: text.trim() });
}

/** The answer of a fault that keeps the request from taking effect; undefined if the request takes effect. */
export function answerBefore(fault: Fault | undefined): Reply | undefined {
  if (fault?.kind === "throttle") return throttled(fault);
  if (fault?.kind === "status" && !fault.after) return broken(fault.status);
  if (fault?.kind === "lost-request" || (isProxy(fault) && !fault.after)) return broken(502);
  return undefined;
}

/** The response, changed by the fault. */
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
      return replaced(response, fault.status, "text/html", HTML);
    case "gateway-json":
      return replaced(response, fault.status, "application/json", GATEWAY_JSON);
    case "no-content":
    case "null-result":
    case "wrong-object":
      return response.status < 300 ? falsify(fault.kind, response) : response;
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

/** Whether a proxy answers instead of the service. */
function isProxy(fault: Fault | undefined): fault is Extract<Fault, { kind: "html" | "gateway-json" }> {
  return fault?.kind === "html" || fault?.kind === "gateway-json";
}

function replaced(response: ServiceResponse, status: number, type: string, body: string): ServiceResponse {
  return { ...response, status, headers: { ...response.headers, "content-type": type }, body };
}

/** A success with the wrong content. */
function falsify(kind: "no-content" | "null-result" | "wrong-object", response: ServiceResponse): ServiceResponse {
  if (kind === "no-content") return { ...response, status: 204, body: "" };
  if (response.headers["content-type"] !== "application/json") return response;
  const answer: Json = JSON.parse(response.body);
  const shown = kind === "wrong-object" ? ofAnother(answer) : success(null).body;
  return { ...response, body: JSON.stringify(shown) };
}

/** The answer about another object: another first digit in the id, a name below `other`, another phase. */
function ofAnother(answer: Json): Json {
  if (!isObject(answer)) return answer;
  const { id, hostname, phase, result } = answer;
  return {
    ...answer,
    ...(typeof id === "string" ? { id: (id.startsWith("0") ? "1" : "0") + id.slice(1) } : {}),
    ...(typeof hostname === "string" ? { hostname: `other.${hostname}` } : {}),
    ...(typeof phase === "string" ? { phase: "http_request_sanitize" } : {}),
    ...(result === undefined ? {} : { result: ofAnother(result) }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError({
      at: "X-Emulator-Fault",
      problem: "is neither a kind of fault nor a JSON object",
    });
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

/** Code 1500 is an internal error of custom hostnames (docs/service.md#custom-hostname-error-codes). Other calls publish no such code. */
function broken(status: number): Reply {
  return failure(status, { code: 1500, message: "Internal error" });
}
