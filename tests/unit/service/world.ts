import type { Clock, Random } from "../../../lib/core/clock.ts";
import type { Json, JsonObject } from "../../../lib/core/json.ts";
import type { Budget } from "../../../lib/core/rate-limits.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { ApiClient } from "../../../lib/service/api-client.ts";
import type { Credentials } from "../../../lib/service/credentials.ts";
import { Governor, type GovernorOptions } from "../../../lib/service/governor.ts";
import type { Http, HttpRequest, HttpResponse } from "../../../lib/service/http.ts";
import type { ServiceEvent } from "../../../lib/service/service-event.ts";
import { manualClock } from "../../support/clock.ts";

export const BUDGET: Budget = { apiShare: 1, issuancePerMinute: 15, issuanceReserve: 0, countsPatches: true };
export const CREDENTIALS: Credentials = { scheme: "token", token: new Secret("a-token-of-these-tests") };
export const RANDOM: Random = { fraction: () => 0, uuid: () => "uuid", bytes: (length) => new Uint8Array(length) };

/** Answers the nth request (from 0), or throws what the network would. */
export type Script = (request: HttpRequest, index: number) => HttpResponse | Promise<HttpResponse>;

/** A client over a script instead of the network, with a record of its requests. */
export interface ClientWorld {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly sent: (HttpRequest & { readonly at: number })[];
  readonly events: ServiceEvent[];
}

/** Builds a client whose network is the script and whose clock jumps. */
export function clientOver(script: Script, options: Partial<GovernorOptions> = {}): ClientWorld {
  const clock = options.clock ?? manualClock();
  const sent: (HttpRequest & { readonly at: number })[] = [];
  const events: ServiceEvent[] = [];
  const report = (event: ServiceEvent): void => void events.push(event);
  const http: Http = {
    send: async (request) => {
      sent.push({ ...request, at: clock.now() });
      return script(request, sent.length - 1);
    },
  };
  const client = new ApiClient({
    http,
    clock,
    report,
    random: RANDOM,
    credentials: CREDENTIALS,
    endpoint: { url: "https://api.test/client/v4", from: "--api-url" },
    governor: new Governor({ budget: BUDGET, report, ...options, clock }),
  });
  return { client, clock, sent, events };
}

/** A success in the service's envelope. */
export function answer(
  result: Json,
  info: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body = JSON.stringify({ success: true, errors: [], messages: [], result, result_info: info });
  return { status: 200, headers, body };
}

/** A refusal in the service's envelope. */
export function refusal(
  status: number,
  code: number,
  message = "no",
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body = JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null });
  return { status, headers: { "cf-ray": "8a1b2c3d4e5f6071-AMS", ...headers }, body };
}

/** What a promise fails with. Fails the test if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (failure) {
    return failure;
  }
  throw new Error("it should have failed");
}
