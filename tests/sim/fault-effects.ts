import type { Json } from "../../lib/core/json.ts";
import { HttpFailure, type HttpFailureReason, type HttpResponse } from "../../lib/service/http.ts";
import type { Dice } from "./dice.ts";
import type { FaultKind } from "./faults.ts";

type Early = (dice: Dice) => HttpResponse;
type Late = (answer: HttpResponse, dice: Dice) => HttpResponse;

const HTML = "<html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>";
const INTERNAL = 1500;
const THROTTLED = 10_100;
const UNROUTED = 7003;
const THROTTLED_AT_ANY_STATUS = 971;

/** Answers in place of the service, so that the request has no effect. */
export const EARLY: Readonly<Partial<Record<FaultKind, Early>>> = {
  throttle: (dice) => refusal(429, THROTTLED, { "retry-after": String(dice.pick([1, 5, 30])) }),
  "throttle-unsaid": () => refusal(429, THROTTLED, {}),
  "throttle-garbage": (dice) => refusal(429, THROTTLED, { "retry-after": dice.pick(["soon", "-1", "1000000000", ""]) }),
  "throttle-inside-200": () => refusal(200, THROTTLED_AT_ANY_STATUS, {}),
  "error-before": (dice) => refusal(dice.pick([500, 502, 503, 504]), INTERNAL, {}),
  "refused-inside-200": () => refusal(200, INTERNAL, {}),
  "html-before": (dice) => ({
    status: dice.pick([200, 502, 520]),
    headers: { "content-type": "text/html" },
    body: HTML,
  }),
  "throttle-write": (dice) => refusal(429, THROTTLED, { "retry-after": String(dice.pick([1, 6, 30])) }),
  "unread-refusal-before": unread,
  unrouted: () => refusal(404, UNROUTED, {}),
  "empty-before": () => ({ status: 204, headers: {}, body: "" }),
  unsent: nothing,
  "lost-request": nothing,
  "timeout-before": nothing,
};

/** What happens to an answer on its way back. Throws what a client sees of a broken connection. */
export const LATE: Readonly<Partial<Record<FaultKind, Late>>> = {
  unsent: broken("connection refused", false, "refused"),
  "lost-request": broken("the connection was cut", true, "cut"),
  "lost-reply": broken("the connection was cut", true, "cut"),
  "timeout-before": broken("no answer in time", true, "timeout"),
  "timeout-after": broken("no answer in time", true, "timeout"),
  "error-after": (answer, dice) => ({ ...answer, status: dice.pick([500, 502, 503, 504]), body: errorBody(INTERNAL) }),
  truncated: (answer, dice) => ({ ...answer, body: answer.body.slice(0, dice.below(answer.body.length)) }),
  "html-after": (answer, dice) => ({
    ...answer,
    status: dice.pick([200, 502]),
    headers: { "content-type": "text/html" },
    body: HTML,
  }),
  "empty-after": (answer) => ({ ...answer, body: "" }),
  "no-content": (answer) => (isOk(answer) ? { status: 204, headers: {}, body: "" } : answer),
  "null-result": (answer) => (isOk(answer) ? { ...answer, body: successBody(null) } : answer),
  "unread-refusal-after": (_answer, dice) => unread(dice),
  "late-request": (answer) => ({ ...answer, status: 408, body: errorBody(INTERNAL) }),
  "success-with-errors": (answer) => (isReplyOk(answer) ? { ...answer, body: withErrors(answer.body) } : answer),
};

/** What the service is told to do with a list. */
export const OF_LISTS: Readonly<Partial<Record<FaultKind, (dice: Dice) => object>>> = {
  "stale-list": (dice) => ({ kind: "stale-list", writes: 1 + dice.below(4) }),
  "reordered-list": () => ({ kind: "reordered-list" }),
  "shifted-list": (dice) => ({ kind: "shifted-list", by: dice.pick([-1, 1]) }),
};

/** Faults that tell the sender that its request had no effect. */
export const KNOWN_TO_FAIL: ReadonlySet<FaultKind> = new Set([
  "throttle",
  "throttle-unsaid",
  "throttle-garbage",
  "throttle-inside-200",
  "throttle-write",
  "refused-inside-200",
  "unsent",
]);

/** A refusal that does not come from the service: something on the way sent it. */
function unread(dice: Dice): HttpResponse {
  const html = { headers: { "content-type": "text/html" }, body: HTML };
  const json = { headers: { "content-type": "application/json" } };
  return dice.pick<HttpResponse>([
    { status: 403, ...html },
    { status: 404, ...html },
    { status: 404, ...json, body: '{"error":"not found"}' },
    { status: 404, ...json, body: '{"message":"no Route matched with those values"}' },
  ]);
}

function nothing(): HttpResponse {
  return { status: 0, headers: {}, body: "" };
}

function broken(message: string, sent: boolean, reason: HttpFailureReason): Late {
  return () => {
    throw new HttpFailure(message, sent, { reason });
  };
}

function refusal(status: number, code: number, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers, body: errorBody(code) };
}

function errorBody(code: number): string {
  return JSON.stringify({ success: false, errors: [{ code, message: "on purpose" }], messages: [], result: null });
}

/** The answer of a successful call. */
export function successBody(result: Json): string {
  return JSON.stringify({ success: true, errors: [], messages: [], result });
}

/** Whether an answer means success. */
export function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function isReplyOk({ status, body }: HttpResponse): boolean {
  return status === 200 && body.startsWith("{");
}

function withErrors(body: string): string {
  const parsed: object = JSON.parse(body);
  return JSON.stringify({ ...parsed, success: true, errors: [{ code: 1000, message: "and yet" }] });
}
