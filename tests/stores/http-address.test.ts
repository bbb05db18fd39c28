import { describe, expect, onTestFinished, test } from "vitest";
import { redactionOf } from "../../lib/real/credential-redaction.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { undiciHttp } from "../../lib/service/undici-http.ts";
import { StateError } from "../../lib/state/error.ts";
import { parseHttpAddress } from "../../lib/state/engines/http/address.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { PASSWORD } from "../support/http-state-server.ts";
import { random, ZONE } from "../support/state-world.ts";
import { failureOf } from "../support/http-states.ts";

describe("an address", () => {
  const urls = (address: string, env: Record<string, string> = {}): readonly (string | undefined)[] => {
    const { stateUrl, locking } = parseHttpAddress(address, env);
    return [stateUrl("n"), locking?.lockUrl("n"), locking?.lockMethod, locking?.unlockMethod];
  };

  test("of GitLab or Gitea needs nothing more", () => {
    const gitlab = "https://gitlab.example/api/v4/projects/42/terraform/state";
    expect(urls(gitlab)).toEqual([`${gitlab}/n`, `${gitlab}/n/lock`, "POST", "DELETE"]);
    const gitea = "https://gitea.example/api/packages/team/terraform/state/";
    expect(urls(gitea)).toEqual([`${gitea}n`, `${gitea}n/lock`, "POST", "DELETE"]);
  });

  test("follows Terraform's variables, with {state} for the name", () => {
    const env = {
      TF_HTTP_LOCK_ADDRESS: "https://h/l/{state}?x=1",
      TF_HTTP_LOCK_METHOD: "PUT",
      TF_HTTP_UNLOCK_METHOD: "DELETE",
    };
    expect(urls("https://h/s/{state}.json?token=abc", env)).toEqual([
      "https://h/s/n.json?token=abc",
      "https://h/l/n?x=1",
      "PUT",
      "DELETE",
    ]);
    expect(urls("https://h/s", { TF_HTTP_LOCK_ADDRESS: "https://h/l/{state}" }).slice(2)).toEqual(["LOCK", "UNLOCK"]);
    expect(urls("https://h/s")).toEqual(["https://h/s/n", undefined, undefined, undefined]);
  });

  test.each([
    ["http://states.example/x", {}, "unencrypted"],
    ["https://h/x", { TF_HTTP_SKIP_CERT_VERIFICATION: "true" }, "TF_HTTP_SKIP_CERT_VERIFICATION"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://h/lock" }, "{state}"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://evil/{state}" }, "another host"],
    ["https://h/x", { TF_HTTP_PASSWORD: "p4ssw0rd-x" }, "TF_HTTP_USERNAME"],
    ["https://h/x", { TF_HTTP_RETRY_MAX: "many" }, "TF_HTTP_RETRY_MAX"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://h/{state}", TF_HTTP_LOCK_METHOD: "lock it" }, "HTTP method"],
    ["https://h/x", { TF_HTTP_CLIENT_CERTIFICATE_PEM: "x" }, "need each other"],
    ["https://", {}, "https://HOST/PATH"],
    ["https://robot:12/p4ssw0rd-x@h/x", {}, "%2F"],
    ["https://robot:12?p4ssw0rd-x@h/x", {}, "%3F"],
    ["https://robot:12#p4ssw0rd-x@h/x", {}, "%23"],
    ["https://robot:12\\p4ssw0rd-x@h/x", {}, "%40"],
    ["https://robot:p@ss/p4ssw0rd-x@h/x", {}, "%40"],
    ["https://gitlab.example/api/v4/projects/1/terraform/state/default", {}, "end it with /terraform/state"],
  ])("%s with %j is refused, and the message does not repeat it", (address, env, words) => {
    const read = (): unknown => parseHttpAddress(address, env);
    expect(read).toThrow(StateError);
    expect(read).toThrow(words);
    expect(read).not.toThrow("p4ssw0rd-x");
  });

  test("is shown without its login and its parameters, which are secrets", async () => {
    const address = "http://robot:s3cret-pass@127.0.0.1:9/x/{state}?token=t0ken-value";
    const learned: string[] = [];
    const connect = (): ReturnType<typeof undiciHttp> => undiciHttp();
    const env = { TF_HTTP_RETRY_MAX: "0" };
    const stores = httpStores(address, {
      env,
      clock: realClock,
      steady: realSteadyClock,
      random,
      connect,
      learn: (secret) => learned.push(secret.reveal()),
    });
    onTestFinished(() => stores.close());
    const failure = await failureOf(stores.of("edge").view(ZONE));
    expect(failure.message).toMatch(
      /^the state at http:\/\/127\.0\.0\.1:9\/x\/zoneform-edge-[0-9a-f]{32} cannot be reached/,
    );
    expect(failure.message).not.toMatch(/s3cret-pass|t0ken-value/);
    expect(learned).toEqual(expect.arrayContaining(["s3cret-pass", "t0ken-value"]));
    expect(redactionOf({ TF_HTTP_PASSWORD: PASSWORD }).redact(`x ${PASSWORD}`)).not.toContain(PASSWORD);
  });

  test("names each zone of each project with characters that every server takes", () => {
    const projects = ["edge", "Edge", "e_dge", "e.dge", "edge-1", "_5fedge", "x".repeat(64), "A".repeat(64)];
    const names = projects.map((project) => nameOfState(project, ZONE));
    expect(new Set(names).size).toBe(projects.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{1,255}$/);
    expect(nameOfState("edge", ZONE)).toBe(`zoneform-edge-${ZONE}`);
  });
});
