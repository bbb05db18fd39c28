import { at, type Json, listAt, textAt } from "../parts/json.ts";

/** What the emulator refused, in its own words. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The result of a call, and how many objects there are in all if it is a page of a list. */
export interface Answer {
  readonly result: Json;
  readonly total: number;
}

let token = "";

/** Sets the token that the admin API of a guarded emulator asks for. It is kept in this window only. */
export function setToken(given: string): void {
  token = given;
}

function headersOf(more: Readonly<Record<string, string>>): Record<string, string> {
  return { ...more, ...(token === "" ? {} : { "x-emulator-token": token }) };
}

/** Calls the admin API. Throws a Refused with what it said, or that it did not answer. */
export async function call(method: string, path: string, body?: Json): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = headersOf(body === undefined ? {} : { "content-type": "application/json" });
  let response: Response;
  let answer: Json;
  try {
    response = await fetch(`/_admin${path}`, { method, headers, ...sent });
    answer = JSON.parse(await response.text());
  } catch {
    throw new Refused(0, "the emulator does not answer: is it still running?");
  }
  if (!response.ok || at(answer, "success") === false) throw new Refused(response.status, complaintOf(answer));
  const total = at(answer, "result_info", "total_count");
  return { result: at(answer, "result") ?? null, total: typeof total === "number" ? total : 0 };
}

function complaintOf(answer: Json): string {
  const errors = listAt(answer, "errors").map((error) => {
    const code = at(error, "code");
    return `${textAt(error, "message")}${typeof code === "number" ? ` (${code})` : ""}`;
  });
  return errors.join("; ") || "the emulator refused this without a reason";
}

/** Calls the service as the dashboard does: without a limit, a fault or a trace among the requests. */
export function asDashboard(method: string, path: string, body?: Json): Promise<Answer> {
  return call(method, `/api${path}`, body);
}

/** What happens on the stream of requests. */
export interface Listener {
  /** Some requests were answered, oldest first. */
  readonly onRequests: (requests: readonly Json[]) => void;
  readonly onForgotten: () => void;
  readonly onConnected: (isConnected: boolean) => void;
}

/** How long to wait before connecting again. */
const PAUSE_MILLISECONDS = 1000;

/** Follows the requests until the signal ends it. After a break it goes on after the last request that arrived. */
export async function follow(listener: Listener, signal: AbortSignal): Promise<void> {
  let last = "";
  while (!signal.aborted) {
    try {
      const headers = headersOf(last === "" ? {} : { "last-event-id": last });
      const response = await fetch("/_admin/events", { headers, signal });
      if (response.ok && response.body !== null) {
        listener.onConnected(true);
        last = await read(response.body, last, listener);
      }
    } catch {
      // The emulator stopped, or the connection broke: the loop connects again.
    }
    if (signal.aborted) return;
    listener.onConnected(false);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

/** Reads server-sent events to the end of the stream; returns the id of the last one. */
async function read(stream: ReadableStream<Uint8Array>, lastSeen: string, listener: Listener): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let [last, text] = [lastSeen, ""];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return last;
      text += decoder.decode(value, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      const requests: Json[] = [];
      for (const event of events) {
        last = /^id: (.*)$/m.exec(event)?.[1] ?? last;
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (/^event: forgotten$/m.test(event)) {
          requests.length = 0;
          listener.onForgotten();
        } else if (data !== undefined) requests.push(JSON.parse(data));
      }
      if (requests.length > 0) listener.onRequests(requests);
    }
  } catch {
    return last;
  }
}
