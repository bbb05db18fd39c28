import { SENSITIVE } from "../core/secret.ts";
import type { Http, HttpRequest } from "./http.ts";

/** Headers of requests and responses that carry a credential or a session, in every spelling that this API or a proxy uses. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "authentication",
  "cookie",
  "set-cookie",
  "proxy-authorization",
  "x-auth-email",
  "x-auth-key",
  "x-auth-user-service-key",
  "cf-access-client-id",
  "cf-access-client-secret",
  "cf-access-token",
]);

/** Whether to show a header's value. Unknown headers are judged by their names. */
export function isShown(header: string): boolean {
  const name = header.toLowerCase();
  return !SECRET_HEADERS.has(name) && !/token|secret|password|api-?key|credential|session|signature/.test(name);
}

/**
 * An `Http` that reports each request and its result, for `--debug`. It omits bodies: requests hold private keys, and
 * responses can hold anything.
 */
export function tracingHttp(http: Http, say: (line: string) => void): Http {
  return {
    send: async (request, signal) => {
      say(`> ${request.method} ${request.url}${lines(request.headers)}${sizeOf(request)}`);
      try {
        const response = await http.send(request, signal);
        say(`< ${response.status} for ${request.method} ${request.url}${lines(response.headers)}`);
        return response;
      } catch (failure) {
        say(`< no answer for ${request.method} ${request.url}: ${String(failure)}`);
        throw failure;
      }
    },
  };
}

function lines(headers: HttpRequest["headers"]): string {
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${isShown(name) ? value : SENSITIVE}`);
  return shown.map((header) => ` | ${header}`).join("");
}

function sizeOf({ body }: HttpRequest): string {
  return body === undefined ? "" : ` | body of ${Buffer.byteLength(body)} bytes, not shown`;
}
