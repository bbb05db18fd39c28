import type { ApiRequest } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Reading } from "./envelope.ts";
import { ApiError, type ApiErrorEntry, UnreachableError } from "./errors.ts";
import type { HttpFailure, HttpResponse } from "./http.ts";
import type { Attempt } from "./retry.ts";

/** Names a call in messages: method and path, without the query. */
export function nameOf(request: ApiRequest): string {
  return `${request.method} ${request.path}`;
}

/** Makes an error message that names the call. */
export function callError(endpoint: Endpoint, request: ApiRequest, made: Attempt): ApiError | UnreachableError {
  const name = nameOf(request);
  if (made.kind === "failed") return unanswered(endpoint, name, made.failure);
  const { response, reading } = made;
  if (reading.kind === "refusal") return refusal(request, response, reading.entries);
  if (response.status === 429) return refusal(request, response, [{ message: `the answer was ${wasOf(reading)}` }]);
  const requestId = requestIdOf(response);
  const place = `(status ${response.status}${requestId === undefined ? "" : `, request ${requestId}`})`;
  if (response.status >= 300 && response.status < 400) {
    const said = `${name} at ${endpoint.url} was answered with a redirect, which is not followed ${place}`;
    return new UnreachableError(said, { reason: "redirect" });
  }
  const reason = reading.kind === "unusable" ? "unusable" : "unreadable";
  return new UnreachableError(`${name} at ${endpoint.url} was answered ${wasOf(reading)} ${place}`, { reason });
}

function wasOf(reading: Exclude<Reading, { readonly kind: "refusal" }>): string {
  return reading.kind === "success" ? "a success" : reading.was;
}

function unanswered(endpoint: Endpoint, name: string, cause: HttpFailure): UnreachableError {
  return new UnreachableError(`${name} at ${endpoint.url} got no response: ${cause.message}`, { cause });
}

function refusal(request: ApiRequest, response: HttpResponse, entries: readonly ApiErrorEntry[]): ApiError {
  return new ApiError({
    family: request.family,
    codes: request.codes,
    status: response.status,
    entries,
    requestId: requestIdOf(response),
    request: nameOf(request),
  });
}

/** Every answer has a `Cf-Ray` (docs/service.md#envelope). */
function requestIdOf(response: HttpResponse): string | undefined {
  return response.headers["cf-ray"];
}
