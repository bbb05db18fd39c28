import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import { createServer as createTcpServer, type Server as NetServer } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { realSteadyClock } from "../../lib/real/clock.ts";
import type { Secret } from "../../lib/core/secret.ts";
import { StateError } from "../../lib/state/error.ts";
import { parseAddress } from "../../lib/state/engines/s3/address.ts";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { clientBucket } from "../../lib/state/engines/s3/client.ts";
import { readWhole } from "../../lib/state/engines/s3/place.ts";
import { type Instead, startS3Server } from "../support/s3-server.ts";
import { AWS_ENV, openS3Stores } from "../support/s3-stores.ts";
import { HOLDER, ZONE } from "../support/state-world.ts";

async function refusal(work: Promise<unknown>): Promise<StateError> {
  const thrown = await work.then(
    () => new Error("it was not refused"),
    (error: unknown) => error,
  );
  if (thrown instanceof StateError) return thrown;
  throw thrown;
}

describe("a response of the server", () => {
  test.each<[Exclude<Instead, string>, string, string]>([
    [{ status: 403, code: "AccessDenied" }, "state-denied", "may not do that"],
    [{ status: 400, code: "ExpiredToken" }, "state-denied", "the credentials have expired"],
    [{ status: 403, code: "InvalidAccessKeyId" }, "state-denied", "does not know the access key"],
    [{ status: 404, code: "XAdminUserNotFound" }, "state-denied", "does not know the access key"],
    [{ status: 401, code: "SomethingOfItsOwn" }, "state-denied", "refuses these credentials"],
    [{ status: 403, code: "SignatureDoesNotMatch" }, "state-denied", "does not belong to the access key"],
    [{ status: 404, code: "NoSuchBucket" }, "state-server", "there is no such bucket"],
    [{ status: 301, code: "PermanentRedirect" }, "state-server", "in another region"],
    [{ status: 400, code: "AuthorizationHeaderMalformed" }, "state-server", "in another region"],
    [{ status: 403, code: "RequestTimeTooSkewed" }, "state-server", "the clock of this machine"],
    [{ status: 400, code: "EntityTooLarge" }, "state-server", "EntityTooLarge"],
  ])("%j is one plain error", async (answer, code, says) => {
    const server = await startS3Server();
    server.answer(() => answer);
    const error = await refusal(openS3Stores(server.address("team")).of("edge").view(ZONE));
    expect(error.diagnostic.code).toBe(code);
    expect(error.diagnostic.message).toContain(`the state at s3://states/team cannot be read: `);
    expect(error.diagnostic.message).toContain(says);
    expect(error.diagnostic.remedy).toBeTruthy();
  });

  test('that means "not now" is asked for again', async () => {
    const server = await startS3Server();
    const passing: Instead[] = [
      { status: 503, code: "SlowDown" },
      { status: 409, code: "ConditionalRequestConflict" },
      { status: 500, code: "InternalError" },
      "drop before",
      "drop after",
    ];
    const steady = { ...realSteadyClock, sleep: async () => undefined };
    const store = openS3Stores(server.address(), { steady }).of("edge");
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.answer((method) => (method === "PUT" ? passing.shift() : undefined));
    await store.append(ZONE, lease, ["one"]);
    expect(passing).toEqual([]);
    await store.append(ZONE, lease, ["two"]);
    const lines: string[] = [];
    for await (const line of (await store.view(ZONE)).journal()) lines.push(line);
    expect(lines).toEqual(["one", "two"]);
  });

  test.each([undefined, "no region!"])("is not waited for without a usable region: %s", async (region) => {
    const stores = openS3Stores("s3://states?endpoint=http://127.0.0.1:9");
    vi.stubEnv("AWS_REGION", region);
    const { diagnostic } = await refusal(stores.of("edge").view(ZONE));
    expect(diagnostic).toMatchObject({ code: "state-server", message: expect.stringContaining("no region is given") });
  });

  test("that never comes is unreachable", async () => {
    const store = openS3Stores("s3://states/x?region=eu-central-1&endpoint=http%3A%2F%2F127.0.0.1%3A9", {
      patienceMilliseconds: 0,
    }).of("edge");
    const { diagnostic } = await refusal(store.view(ZONE));
    expect(diagnostic.code).toBe("state-unreachable");
    expect(diagnostic.message).toContain("cannot be reached on 127.0.0.1:9: ");
    expect(diagnostic.message).toContain("ECONNREFUSED");
  });

  test.each([200, 404])("that is a web page with status %i does not count as a damaged state", async (status) => {
    const port = await listening(
      createServer((_, response) => response.writeHead(status, { "content-type": "text/html" }).end("<!DOCTYPE html>")),
    );
    const { diagnostic } = await refusal(
      openS3Stores(`s3://states?endpoint=http://127.0.0.1:${port}`).of("edge").view(ZONE),
    );
    expect(diagnostic).toMatchObject({ code: "state-server", message: expect.stringContaining("no S3 server") });
  });

  test.each(["https", "http"])("of another protocol than %s:// is reported at once, in plain words", async (scheme) => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(scheme === "https" ? "HTTP/1.1 400 Bad Request\r\n\r\n" : "\x15\x03\x01"));
    });
    const port = await listening(server);
    const { diagnostic } = await refusal(
      openS3Stores(`s3://states?endpoint=${scheme}://127.0.0.1:${port}`).of("edge").view(ZONE),
    );
    expect(diagnostic.code).toBe("state-address");
    expect(diagnostic.message).toContain(
      `127.0.0.1:${port} does not ${scheme === "https" ? "speak TLS" : "answer with HTTP"}`,
    );
    expect(diagnostic.message).not.toMatch(/ssl|\.c:|\n/i);
    expect(connections).toBe(1);
  });
});

describe("a server that returns the tag of one version with the bytes of another", () => {
  const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

  /** A bucket whose server answers each read with the next of these, and then with the last one. */
  async function answering(...answers: readonly (readonly [tag: string, bytes: string])[]): Promise<Bucket> {
    let reads = 0;
    const server = createServer((_request, response) => {
      const [tag, bytes] = answers[Math.min(reads, answers.length - 1)] ?? ["", ""];
      reads += 1;
      response.writeHead(200, { etag: `"${tag}"`, "content-length": bytes.length }).end(bytes);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
    const address = parseAddress(`s3://states?endpoint=${encodeURIComponent(`http://127.0.0.1:${portOf(server)}`)}`);
    const bucket = clientBucket(address, { env: {}, learn: () => undefined, steady: realSteadyClock });
    onTestFinished(() => {
      bucket.close();
      server.closeAllConnections();
      server.close();
      vi.unstubAllEnvs();
    });
    return bucket;
  }

  const shown = async (bucket: Bucket): Promise<unknown> => {
    const found = await readWhole(bucket, "head");
    return found && [found.tag, Buffer.from(found.bytes).toString()];
  };

  test("is asked again until both match", async () => {
    const bucket = await answering([md5("new"), "old"], [md5("new"), "new"]);
    expect(await shown(bucket)).toEqual([md5("new"), "new"]);
  });

  test("is believed when two responses agree, if tags are no digests", async () => {
    const bucket = await answering(["tag-2", "old"], ["tag-2", "new"], ["tag-2", "new"]);
    expect(await shown(bucket)).toEqual(["tag-2", "new"]);
  });
});

describe("an object of a server that falls silent", () => {
  const SILENT_MILLISECONDS = 600;

  /** Reads an object of which only so many bytes come. */
  async function readBytes(count: number): Promise<unknown> {
    const answer = (response: ServerResponse): void => {
      response.writeHead(200, { etag: '"tag"', "content-length": 10 });
      response.write("x".repeat(count));
    };
    const server = createServer((_request, response) => answer(response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
    const address = parseAddress(`s3://states?endpoint=${encodeURIComponent(`http://127.0.0.1:${portOf(server)}`)}`);
    const bucket = clientBucket(address, {
      env: {},
      learn: () => undefined,
      steady: realSteadyClock,
      silentMilliseconds: SILENT_MILLISECONDS,
    });
    onTestFinished(() => {
      bucket.close();
      server.closeAllConnections();
      server.close();
      vi.unstubAllEnvs();
    });
    return bucket.get("key").then(
      (found) => found?.bytes.length,
      (error: unknown) => error,
    );
  }

  test("is given up if nothing more comes after no byte or after some", async () => {
    for (const found of await Promise.all([0, 5].map(readBytes)))
      expect(String(found)).toContain("the server did not answer in time");
  });
});

test.each([
  [
    "s3://states/edge?path_style=false&region=eu-west-1&endpoint=https%3A%2F%2Fs3.internal%3A7070",
    {},
    "s3://states/edge?region=eu-west-1&endpoint=https://s3.internal:7070&path_style=false",
  ],
  [
    "s3://states",
    { AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: "https://s3.internal" },
    "s3://states?region=eu-west-1&endpoint=https://s3.internal",
  ],
  ["s3://states", { AWS_ENDPOINT_URL: "https://me:secret-key-1@s3.internal" }, "s3://states"],
])("%s is described by an address that leads there from elsewhere", (address, env, described) => {
  expect(openS3Stores(address, { env }).describe()).toBe(described);
  expect(openS3Stores(described).describe()).toBe(described);
});

test("nothing is sent to an endpoint of the environment that is http:// to another machine", async () => {
  const stores = openS3Stores("s3://states");
  vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://s3.example");
  const { diagnostic } = await refusal(stores.of("edge").view(ZONE));
  expect(diagnostic).toMatchObject({ code: "state-address", message: expect.stringContaining("unencrypted") });
});

/** The port of a server that ends with the test. */
async function listening(server: NetServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return portOf(server);
}

test("a process that holds a lock prints nothing of the library, on any version of Node", async () => {
  const server = await startS3Server();
  const dist = new URL("../../dist/lib", import.meta.url).href;
  const script = `
    const { s3Stores } = await import("${dist}/state/engines/s3/engine.js");
    const { realClock: clock, realSteadyClock: steady, realRandom: random } = await import("${dist}/real/clock.js");
    const stores = s3Stores(${JSON.stringify(server.address())}, { env: {}, clock, steady, random });
    await stores.of("edge").lock("${ZONE}", ${JSON.stringify(HOLDER)}, 0);
    console.log("held", process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED);`;
  // It ends by itself: the renewal keeps no process alive.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...AWS_ENV, PATH: process.env["PATH"] },
  });
  expect([stdout, stderr]).toEqual(["held undefined\n", ""]);
});

describe("credentials", () => {
  /** What the server was told: the access key of the first request. */
  async function keyUsed(env: Readonly<Record<string, string>>, learned: string[] = []): Promise<string> {
    let found = "";
    const server = createServer((request, response) => {
      found = /Credential=([^/]*)\//.exec(request.headers.authorization ?? "")?.[1] ?? "";
      response.writeHead(404, { "content-type": "application/xml" });
      response.end("<Error><Code>NoSuchKey</Code></Error>");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const endpoint = encodeURIComponent(`http://127.0.0.1:${portOf(server)}`);
    const learn = (secret: Secret): void => void learned.push(secret.reveal());
    const stores = openS3Stores(`s3://states?endpoint=${endpoint}`, { learn });
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect((await stores.of("edge").view(ZONE)).state).toBeUndefined();
    return found;
  }

  test("come from the environment, and their secrets are learned", async () => {
    const learned: string[] = [];
    const env = {
      AWS_ACCESS_KEY_ID: "FROMENV",
      AWS_SECRET_ACCESS_KEY: "secret-of-env",
      AWS_SESSION_TOKEN: "token-of-env",
    };
    expect(await keyUsed(env, learned)).toBe("FROMENV");
    expect(new Set(learned)).toEqual(new Set(["secret-of-env", "token-of-env"]));
  });

  test("come from a profile of the credentials file", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "credentials");
    await writeFile(file, "[team]\naws_access_key_id = FROMFILE\naws_secret_access_key = secret-of-file\n");
    expect(await keyUsed({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: "team" })).toBe("FROMFILE");
  });

  test("come from a web identity, as in a CI job", async () => {
    const file = join(await temporaryFolder(), "token");
    await writeFile(file, "a.web.identity");
    const sts = await answering(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
      <Credentials><AccessKeyId>FROMWEB</AccessKeyId><SecretAccessKey>secret-of-web</SecretAccessKey><SessionToken>token</SessionToken>
      <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
    );
    const env = {
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/zoneform",
      AWS_ENDPOINT_URL_STS: sts,
    };
    expect(await keyUsed(env)).toBe("FROMWEB");
  });

  test("come from the role of a container", async () => {
    const url = await answering(
      JSON.stringify({
        AccessKeyId: "FROMCONTAINER",
        SecretAccessKey: "secret-of-container",
        Token: "token",
        Expiration: "2100-01-01T00:00:00Z",
      }),
    );
    expect(await keyUsed({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role` })).toBe("FROMCONTAINER");
  });

  test("come from the role of a machine", async () => {
    const role = JSON.stringify({
      Code: "Success",
      AccessKeyId: "FROMMACHINE",
      SecretAccessKey: "secret-of-machine",
      Token: "token",
      Expiration: "2100-01-01T00:00:00Z",
    });
    const url = await answering((path) =>
      path.includes("/api/token") ? "a-token" : path.endsWith("/security-credentials/") ? "zoneform" : role,
    );
    const env = { AWS_EC2_METADATA_DISABLED: "false", AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    expect(await keyUsed(env)).toBe("FROMMACHINE");
  });

  test("that exist nowhere are one plain error", async () => {
    const stores = openS3Stores("s3://states?endpoint=http%3A%2F%2F127.0.0.1%3A9");
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
    const { diagnostic } = await refusal(stores.of("edge").view(ZONE));
    expect(diagnostic.code).toBe("state-denied");
    expect(diagnostic.message).toContain("there are no credentials");
  });
});

describe("the host that the project file expects", () => {
  /** The host that is checked, and whether the request was stopped by it. */
  async function hostOf(address: string, config: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const file = join(await temporaryFolder(), "config");
    await writeFile(file, config);
    let found = "";
    const checkHost = (host: string): void => {
      found = host;
      throw new StateError({ code: "state-host", message: "another host" });
    };
    const stores = openS3Stores(address, { checkHost, env });
    const own = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_REGION: undefined };
    const all = { AWS_CONFIG_FILE: file, AWS_PROFILE: "team", ...own, ...env };
    for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
    expect((await refusal(stores.of("edge").view(ZONE))).diagnostic.code).toBe("state-host");
    return found;
  }

  const KEYS = "[profile team]\naws_access_key_id = KEY\naws_secret_access_key = secret-of-profile\n";
  const PROFILE = `${KEYS}region = eu-west-3\n`;
  const OWN = `${PROFILE}endpoint_url = http://127.0.0.1:9\n`;

  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    ["s3://states/x?region=eu-central-1", "region", {}, "s3.eu-central-1.amazonaws.com"],
    ["s3://states/x", "region", {}, "s3.eu-west-3.amazonaws.com"],
    ["s3://states/x", "region", { AWS_REGION: "eu-west-1" }, "s3.eu-west-1.amazonaws.com"],
    ["s3://states/x", "region", { AWS_USE_FIPS_ENDPOINT: "true" }, "s3-fips.eu-west-3.amazonaws.com"],
    ["s3://states/x", "endpoint", {}, "127.0.0.1"],
    ["s3://states/x", "endpoint", { AWS_ENDPOINT_URL_S3: "http://localhost:9" }, "localhost"],
    ["s3://states/x", "endpoint", { AWS_ENDPOINT_URL: "http://localhost:9" }, "localhost"],
    ["s3://states/x?endpoint=https%3A%2F%2Fs3.internal%3A9", "endpoint", {}, "s3.internal"],
    ["s3://states/x?endpoint=https%3A%2F%2Fstates.internal%3A9", "endpoint", {}, "states.internal"],
    ["s3://states/x?endpoint=https%3A%2F%2Fs3.internal%3A9&path_style=false", "endpoint", {}, "s3.internal"],
  ])(
    "is compared with the one to which %s leads, with a profile that has its own %s and %j: %s",
    async (address, has, env, host) => {
      expect(await hostOf(address, has === "region" ? PROFILE : OWN, env)).toBe(host);
    },
  );

  test("stops the request before it is sent", async () => {
    const server = await startS3Server();
    const endpoint = `http://127.0.0.1:${server.port}`;
    expect(await hostOf("s3://states/x", `${KEYS}region = x\nendpoint_url = ${endpoint}\n`)).toBe("127.0.0.1");
    expect(server.requests).toEqual([]);
  });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-s3-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that gives every request the same answer, or one by its path; returns its address. */
async function answering(answer: string | ((path: string) => string)): Promise<string> {
  const server = createServer((request, response) => {
    response.end(typeof answer === "string" ? answer : answer(request.url ?? ""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server must listen on a port");
  return address.port;
}
