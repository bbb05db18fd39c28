import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../lib/core/json.ts";
import { causes, known, liveHostname, planned, wanted } from "./inputs.ts";

const NAME = "app.customer.net";

/** What is planned of a hostname's CA: the leaves of it, with their causes. */
function plannedOf(
  desired: string | undefined,
  sent: string | undefined,
  now: string,
  denied: readonly string[] = [],
): readonly string[] {
  const ssl = (authority: string | undefined): JsonObject => ({
    ssl: { method: "http", ...(authority === undefined ? {} : { certificate_authority: authority }) },
  });
  const options = { ssl_updates: "when_active", denied_certificate_authorities: denied };
  const { changes } = planned({
    objects: [wanted("custom_hostname", NAME, ssl(desired), { options })],
    known: [known("custom_hostname", NAME, ssl(sent))],
    live: [liveHostname(NAME, ssl(now))],
  });
  return changes.flatMap(causes);
}

describe("the choice of a CA", () => {
  it.each([
    ["no opinion is satisfied by any CA", undefined, undefined, "lets_encrypt"],
    ["default, sent before, is satisfied whatever the service chose", "default", "default", "lets_encrypt"],
    ["default without a history is satisfied", "default", undefined, "google"],
    ["a name is satisfied by the same live", "google", "google", "google"],
  ])("%s", (_what, desired, sent, now) => {
    expect(plannedOf(desired, sent, now)).toEqual([]);
  });

  it.each([
    ["a name is compared with live", "google", "google", "lets_encrypt", "drift"],
    [
      "from default to a name is your change, whatever the service had chosen",
      "google",
      "default",
      "lets_encrypt",
      "config",
    ],
    ["from a name to default is sent, although live cannot show it", "default", "google", "google", "config"],
  ])("%s", (_what, desired, sent, now, cause) => {
    expect(plannedOf(desired, sent, now)).toEqual([`ssl.certificate_authority ${cause}`]);
  });

  it("default without a history is not satisfied by a CA that a check denies", () => {
    expect(plannedOf("default", undefined, "lets_encrypt", ["lets_encrypt"])).toEqual([
      "ssl.certificate_authority config",
    ]);
    expect(plannedOf("default", undefined, "google", ["lets_encrypt"])).toEqual([]);
  });

  it("default that was sent once is not sent again for a denied CA: it would change nothing", () => {
    expect(plannedOf("default", "default", "lets_encrypt", ["lets_encrypt"])).toEqual([]);
  });
});
