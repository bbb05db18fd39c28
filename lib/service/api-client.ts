import type { Clock, Random } from "../core/clock.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { type ApiRequest, type Family, type FreshClient, checkCall, type PagedRequest } from "./client.ts";
import { authorization, type Credentials } from "./credentials.ts";
import type { Endpoint } from "./endpoint.ts";
import { readAnswer } from "./envelope.ts";
import { AmbiguousError, UnreachableError } from "./errors.ts";
import { openFreshWrites, type Sent } from "./fresh-write.ts";
import type { Governor } from "./governor.ts";
import { type Http, HttpFailure, type HttpRequest, type HttpResponse } from "./http.ts";
import { type PageAnswer, readPages } from "./pages.ts";
import type { Permit } from "./places.ts";
import { type Attempt, ATTEMPTS, callError, delayAfter, isGeneralLimit, judge, nameOf, THROTTLES } from "./retry.ts";
import type { Report } from "./service-event.ts";

/** What a client is made of. Clients with the same credential share one governor. */
export interface ClientParts {
  readonly http: Http;
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly governor: Governor;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent?: string;
  readonly report?: Report;
}

interface Counts {
  /** Requests sent, by method, including retries. */
  readonly requests: Readonly<Record<ApiRequest["method"], number>>;
  /** How many of them were retries. */
  readonly retried: number;
  /** Milliseconds spent waiting for limits and between attempts. */
  readonly waitedMilliseconds: number;
}

/** The client: it adds envelopes, retries, pacing and pages to a bare `Http`, and counts its calls. */
export class ApiClient implements FreshClient {
  readonly freshly: FreshClient["freshly"];
  private readonly parts: ClientParts;
  private readonly report: Report;
  private readonly headers: SentHeaders;
  private readonly sizes = new Map<Family, number>();
  private readonly requests = { GET: 0, POST: 0, PUT: 0, PATCH: 0, DELETE: 0 };
  private retried = 0;
  private waited = 0;
  private newestTime: number | undefined;

  constructor(parts: ClientParts) {
    this.parts = parts;
    this.report = parts.report ?? (() => undefined);
    this.headers = headersOf(parts);
    this.freshly = openFreshWrites({
      clock: parts.clock,
      serviceTime: () => this.newestTime,
      sendOnce: (...call) => this.sendOnce(...call),
      exchange: (...call) => this.exchange(...call),
      sizes: this.sizes,
      report: this.report,
      reserve: (needs, refusal, signal) => permitted(() => parts.governor.reserve(needs, signal), refusal),
      waitBeforeRetry: async (request, error, failures, signal) => {
        this.retried += 1;
        if (failures > 0) await this.waitBeforeRetry(request, error, failures, signal);
      },
    });
  }

  async send(request: ApiRequest, signal?: AbortSignal): Promise<Json> {
    return (await this.exchange(request, signal)).result;
  }

  pages(request: PagedRequest, signal?: AbortSignal): AsyncIterable<JsonObject> {
    const { sizes, report } = this;
    return readPages({ read: (...call) => this.exchange(...call), sizes, report }, request, signal);
  }

  serviceTime(): number | undefined {
    return this.newestTime;
  }

  counts(): Counts {
    const waitedMilliseconds = this.waited + this.parts.governor.waitedMilliseconds();
    return { requests: { ...this.requests }, retried: this.retried, waitedMilliseconds };
  }

  /** Repeats a call, a write too, as `judge` of `retry.ts` allows. */
  private async exchange(request: ApiRequest, signal?: AbortSignal): Promise<PageAnswer> {
    checkCall(request, signal);
    let [failures, throttles] = [0, 0];
    let refusal: Error | undefined;
    for (;;) {
      const permit = await permitted(() => this.parts.governor.permit(request, signal), refusal);
      if (failures + throttles > 0) this.retried += 1;
      const sent = await this.sendOnce(request, permit, signal);
      if (sent.verdict === "done") return sent.answer;
      if (sent.verdict === "throttled") {
        throttles += 1;
        refusal = sent.error;
        if (throttles < THROTTLES) continue;
        throw refusal;
      }
      signal?.throwIfAborted();
      failures += 1;
      if (sent.verdict !== "again" || failures === ATTEMPTS) throw sent.error;
      await this.waitBeforeRetry(nameOf(request), sent.error, failures, signal);
    }
  }

  private async sendOnce(
    request: ApiRequest,
    permit: Permit,
    signal: AbortSignal | undefined,
    mayLeave?: () => boolean,
  ): Promise<Sent> {
    const { endpoint } = this.parts;
    this.requests[request.method] += 1;
    const bare = httpRequest(endpoint, this.headers, request);
    const wire = mayLeave ? { ...bare, mayLeave } : bare;
    const made = await this.attempt(wire, request, signal);
    const verdict = judge(request.method, made);
    if (verdict === "throttled" && made.kind === "answered") {
      permit.refused(made.response, isGeneralLimit(made.reading));
      return { verdict, error: callError(endpoint, request, made) };
    }
    if (made.kind === "answered" && made.response.status === 429) permit.refused(made.response, false);
    else permit.ended(verdict === "done" || verdict === "lost", made.kind === "answered" ? made.response : undefined);
    if (made.kind === "answered" && made.reading.kind === "success") return { verdict: "done", answer: made.reading };
    const error = callError(endpoint, request, made);
    if (verdict === "lost") throw new AmbiguousError(nameOf(request), { cause: error });
    if (verdict === "done") throw new Error("an answer that is done is a success");
    return { verdict, error };
  }

  private async attempt(wire: HttpRequest, { answer }: ApiRequest, signal: AbortSignal | undefined): Promise<Attempt> {
    try {
      // A write that was sent is never cancelled: we would not know whether it took effect.
      const response = await this.parts.http.send(wire, wire.method === "GET" ? signal : undefined);
      const reading = readAnswer(response, answer);
      if (reading.kind === "success") this.newestTime = dateOf(response) ?? this.newestTime;
      return { kind: "answered", response, reading };
    } catch (failure) {
      return { kind: "failed", failure: asHttpFailure(failure) };
    }
  }

  private async waitBeforeRetry(
    request: string,
    because: Error,
    failures: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clock, random } = this.parts;
    const delayMilliseconds = delayAfter(failures, random);
    this.report({ type: "retrying", request, because: because.message, delayMilliseconds });
    this.waited += delayMilliseconds;
    await clock.sleep(delayMilliseconds, signal);
  }
}

/** If we give up on a refused call, we throw that refusal: it has the code and the request id. */
async function permitted<T>(ask: () => Promise<T>, refusal: Error | undefined): Promise<T> {
  try {
    return await ask();
  } catch (failure) {
    throw failure instanceof UnreachableError ? (refusal ?? failure) : failure;
  }
}

function dateOf({ headers }: HttpResponse): number | undefined {
  const date = Date.parse(headers["date"] ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** The headers of every request; one with a body has one more. */
interface SentHeaders {
  readonly bare: HttpRequest["headers"];
  readonly withBody: HttpRequest["headers"];
}

function headersOf({ credentials, userAgent }: ClientParts): SentHeaders {
  const bare = {
    accept: "application/json",
    "user-agent": userAgent ?? "zoneform",
    ...authorization(credentials),
  };
  return { bare, withBody: { ...bare, "content-type": "application/json" } };
}

function httpRequest(endpoint: Endpoint, headers: SentHeaders, request: ApiRequest): HttpRequest {
  const { method, body } = request;
  const url = `${endpoint.url}${request.path}${searchOf(request)}`;
  if (body === undefined) return { method, url, headers: headers.bare };
  return { method, url, headers: headers.withBody, body: JSON.stringify(body) };
}

function searchOf({ query }: ApiRequest): string {
  if (query === undefined) return "";
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return parameters.length === 0 ? "" : `?${new URLSearchParams(parameters).toString()}`;
}

/** If an `Http` throws something else, we must not report a write that was sent as one that failed. */
function asHttpFailure(failure: unknown): HttpFailure {
  if (failure instanceof HttpFailure) return failure;
  return new HttpFailure(failure instanceof Error ? failure.message : "unknown failure", true, { cause: failure });
}
