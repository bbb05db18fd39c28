import { createHmac } from "node:crypto";
import type { Clock, Random } from "../core/clock.ts";
import { error, problem, type Result } from "../core/diagnostic.ts";
import { Secret } from "../core/secret.ts";
import { NOTIFY_SECRET, NOTIFY_URL, webhookUrlIn } from "../core/webhook-address.ts";
import { urlFault } from "./endpoint.ts";
import { type Http, HttpFailure, type HttpResponse } from "./http.ts";
import { delayAfter } from "./retry.ts";

/** Where to send what a command found. The address of a webhook is a credential. */
export interface Webhook {
  readonly format: "generic" | "slack";
  readonly url: Secret;
  /** Signs each request; absent: they are not signed. */
  readonly secret?: Secret;
}

/**
 * Reads the webhook of this run: the flag, else the environment; undefined for none. `slack=URL` and the hooks of Slack
 * itself take Slack's format. It never comes from a file of the repository. A message repeats only the scheme of a
 * refused address.
 */
export function readWebhook(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Result<Webhook | undefined> {
  const variable = environment[NOTIFY_URL] ?? "";
  const given = flag ?? (variable === "" ? undefined : variable);
  if (given === undefined) return { ok: true, value: undefined, warnings: [] };
  const text = webhookUrlIn(given);
  const fault = urlFault(text, "with a query");
  if (fault !== undefined) {
    const from = flag === undefined ? NOTIFY_URL : "--notify";
    return { ok: false, diagnostics: [error(problem("bad-webhook", { from, fault }))] };
  }
  const isSlack = text !== given || new URL(text).hostname === "hooks.slack.com";
  const secret = environment[NOTIFY_SECRET] ?? "";
  const value: Webhook = {
    format: isSlack ? "slack" : "generic",
    url: new Secret(text),
    ...(secret === "" ? {} : { secret: new Secret(secret) }),
  };
  return { ok: true, value, warnings: [] };
}

/** What sending needs from outside the process. */
export interface Sending {
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
}

/** A webhook that is away for longer is not waited for. */
const ATTEMPTS = 4;

/** Nothing is tried again after this time. */
const LONGEST_MILLISECONDS = 30_000;

/**
 * Posts a JSON text to a webhook. A network error, 429 and 5xx are tried again, at most `attempts` times in all; none is
 * begun after half a minute. Returns why it was not sent, without anything secret; undefined if it was. Requests are
 * signed as Standard Webhooks are: HMAC-SHA256 over id, timestamp and body; each attempt has the same id.
 */
export async function postToWebhook(
  { url, secret }: Webhook,
  body: string,
  { http, clock, random, signal }: Sending,
  attempts: number = ATTEMPTS,
): Promise<string | undefined> {
  const id = `msg_${random.uuid()}`;
  const deadline = clock.now() + LONGEST_MILLISECONDS;
  for (let failures = 0; ;) {
    const timestamp = String(Math.floor(clock.now() / 1000));
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(secret ? { "webhook-signature": signature(secret, `${id}.${timestamp}.${body}`) } : {}),
    };
    const answer = await sent(http, { method: "POST", url: url.reveal(), headers, body }, signal);
    if (!(answer instanceof HttpFailure) && answer.status >= 200 && answer.status < 300) return undefined;
    failures += 1;
    const pause = pauseAfter(answer, failures, random);
    if (failures >= attempts || !mayTryAgain(answer) || clock.now() + pause > deadline) return reason(answer);
    await clock.sleep(pause, signal);
  }
}

async function sent(
  http: Http,
  request: Parameters<Http["send"]>[0],
  signal: AbortSignal | undefined,
): Promise<HttpResponse | HttpFailure> {
  try {
    return await http.send(request, signal);
  } catch (failure) {
    if (!(failure instanceof HttpFailure) || failure.reason === "aborted") throw failure;
    return failure;
  }
}

/** A key of Standard Webhooks is in base64 behind `whsec_`; any other text is the key itself. */
function signature(secret: Secret, text: string): string {
  const given = secret.reveal();
  const key = given.startsWith("whsec_") ? Buffer.from(given.slice("whsec_".length), "base64") : given;
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}

function mayTryAgain(answer: HttpResponse | HttpFailure): boolean {
  if (answer instanceof HttpFailure) return answer.reason !== "forbidden" && answer.reason !== "tls";
  return answer.status === 429 || answer.status >= 500;
}

function pauseAfter(answer: HttpResponse | HttpFailure, failures: number, random: Random): number {
  const asked = answer instanceof HttpFailure ? "" : (answer.headers["retry-after"] ?? "");
  const askedMilliseconds = /^\d{1,9}$/.test(asked) ? Number(asked) * 1000 : 0;
  return Math.max(askedMilliseconds, delayAfter(failures, random));
}

function reason(answer: HttpResponse | HttpFailure): string {
  return answer instanceof HttpFailure ? answer.message : `it answered with status ${answer.status}`;
}
