import { describe, expect, test } from "vitest";
import { Secret } from "../../../lib/core/secret.ts";
import { type Http, HttpFailure } from "../../../lib/service/http.ts";
import { postToWebhook, readWebhook, type Webhook } from "../../../lib/service/webhook.ts";

const WEBHOOK: Webhook = { format: "generic", url: new Secret("https://hooks.example/a") };

/** A webhook that answers each attempt with the next of these, and the waits between them. */
function world(...answers: readonly (number | HttpFailure)[]) {
  const waits: number[] = [];
  let [now, sent] = [1_000_000, 0];
  const http: Http = {
    send: async () => {
      const answer = answers[Math.min(sent, answers.length - 1)] ?? 200;
      sent += 1;
      if (answer instanceof HttpFailure) throw answer;
      return { status: answer, headers: answer === 429 ? { "retry-after": "20" } : {}, body: "" };
    },
  };
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  const random = { fraction: () => 0, uuid: () => "1", bytes: (length: number) => new Uint8Array(length) };
  return { sending: { http, clock, random }, waits, sent: () => sent };
}

describe("a notification that cannot be sent", () => {
  test.each([
    ["a server that fails, four times", [503], [500, 1000, 2000], "it answered with status 503"],
    [
      "a connection that is cut, four times",
      [new HttpFailure("cut", true, { reason: "cut" })],
      [500, 1000, 2000],
      "cut",
    ],
    ["a limit, until half a minute is over", [429], [20_000], "it answered with status 429"],
    ["an address that is wrong, once", [404], [], "it answered with status 404"],
    ["a redirect, once", [302], [], "it answered with status 302"],
    ["a forbidden address, once", [new HttpFailure("no", false, { reason: "forbidden" })], [], "no"],
  ])("%s", async (_what, answers, expected, reason) => {
    const { sending, waits, sent } = world(...answers);
    expect(await postToWebhook(WEBHOOK, "{}", sending)).toBe(reason);
    expect(waits).toEqual(expected);
    expect(sent()).toBe(expected.length + 1);
  });

  test("is sent once one attempt succeeds", async () => {
    const { sending, sent } = world(500, 204);
    expect(await postToWebhook(WEBHOOK, "{}", sending)).toBeUndefined();
    expect(sent()).toBe(2);
  });
});

test("a secret with whsec_ is a key in base64, as libraries for Standard Webhooks expect it", async () => {
  const { sending } = world(200);
  const signatures: (string | undefined)[] = [];
  const http: Http = {
    send: async ({ headers }) => {
      signatures.push(headers["webhook-signature"]);
      return { status: 200, headers: {}, body: "" };
    },
  };
  const clock = { ...sending.clock, now: () => 1_614_265_330_000 };
  const random = { ...sending.random, uuid: () => "p5jXN8AQM9LWM0D4loKWxJek" };
  const secret = new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  await postToWebhook({ ...WEBHOOK, secret }, '{"test": 2432232314}', { http, clock, random });
  // The example of the Standard Webhooks libraries.
  expect(signatures).toEqual(["v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="]);
});

test("the format follows from the address", () => {
  const formatOf = (flag: string): unknown => {
    const read = readWebhook(flag, {});
    return read.ok && read.value?.format;
  };
  expect(formatOf("https://hooks.slack.com/services/T/B/x")).toBe("slack");
  expect(formatOf("slack=https://chat.example/hooks/x")).toBe("slack");
  expect(formatOf("https://chat.example/hooks/x")).toBe("generic");
});
