import type { Http, HttpRequest } from "./http.ts";
import { SENSITIVE } from "../core/secret.ts";

/** Headers that carry a credential or a session, by either side, in any spelling that this API or a proxy before it uses. */
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

/** Whether what a header says is shown. Headers that nobody thought of are judged by their names. */
export function isShown(header: string): boolean {
  const name = header.toLowerCase();
  return !SECRET_HEADERS.has(name) && !/token|secret|password|api-?key|credential|session|signature/.test(name);
}

/**
 * An `Http` that says each request and how it ended, for `--debug`. Bodies are left out: they hold certificates' keys on
 * the way there, and anything at all on the way back.
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
