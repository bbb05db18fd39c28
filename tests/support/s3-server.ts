import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { memoryBucket } from "./memory-bucket.ts";

/** How a server differs from S3. */
export type Quirk =
  /** It accepts every write, whatever its conditions. */
  | "ignores conditions"
  /** It accepts every write that replaces something. */
  | "ignores If-Match"
  /** It checks the condition first and writes a moment later, so it is wrong only if two writes race. */
  | "races"
  /** It compares an ETag with quotes with one without. */
  | "bare tags"
  /** It refuses conditions that it does not know. */
  | "refuses conditions";

/** As much of a statement of an IAM policy as our tests use. */
export interface Statement {
  readonly Effect: "Allow";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** What the server answers instead, as a status with S3's code. `drop` closes the connection before or after the request takes effect. */
export type Instead = { readonly status: number; readonly code: string } | "drop before" | "drop after";

/** A small server that speaks S3, on loopback. */
export interface S3Server {
  readonly port: number;
  /** The address of states in its bucket, below a prefix. */
  address(prefix?: string): string;
  /** The requests so far, as `PUT key`. */
  readonly requests: readonly string[];
  /** Sets what it answers to the next requests instead; undefined ends that. */
  answer(instead: ((method: string, key: string) => Instead | undefined) | undefined): void;
  /** Sets what an access key may do. Until the first call, every key may do everything. */
  allow(accessKey: string, statements: readonly Statement[]): void;
  /** The keys of all objects. */
  keys(): readonly string[];
  readonly bucket: Bucket;
}

/** How long a server with the quirk `races` waits between checking and writing. */
const RACE_MILLISECONDS = 30;

/** The only bucket. */
export const BUCKET = "states";

/** Starts a server, and stops it at the end of the test. `now` is its clock. */
export async function startS3Server(quirk?: Quirk, now: () => number = Date.now): Promise<S3Server> {
  const memory = memoryBucket(now);
  const bucket = memory.open();
  const requests: string[] = [];
  const policies = new Map<string, readonly Statement[]>();
  const looking = new Map<string, (() => void)[]>();
  let instead: ((method: string, key: string) => Instead | undefined) | undefined;

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const method = request.method ?? "";
    const [, named = "", key = ""] = /^\/([^/?]*)\/?([^?]*)/.exec(request.url ?? "") ?? [];
    const name = decodeURIComponent(key);
    requests.push(`${method} ${name}`);
    const happens = instead?.(method, name);
    if (happens === "drop before") return void response.destroy();
    if (happens !== undefined && happens !== "drop after") return refuse(response, happens.status, happens.code);
    if (named !== BUCKET) return refuse(response, 404, "NoSuchBucket");
    const refusal = refusalOf(request, method, name);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (happens === "drop after") {
      await answerTo(request, undefined, method, name, body);
      return void response.destroy();
    }
    return answerTo(request, response, method, name, body);
  }

  /** Why to refuse the request. As on S3, a user who may not list does not learn whether an object exists. */
  function refusalOf(request: IncomingMessage, method: string, key: string): string | undefined {
    const accessKey = /Credential=([^/]*)\//.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (policies.size === 0) return undefined;
    const statements = policies.get(accessKey);
    if (!statements) return "InvalidAccessKeyId";
    const action = { GET: "s3:GetObject", PUT: "s3:PutObject", DELETE: "s3:DeleteObject" }[method] ?? method;
    const may = (wanted: string, resource: string): boolean =>
      statements.some(
        ({ Action, Resource }) =>
          [Action].flat().includes(wanted) && [Resource].flat().some((each) => fits(each, resource)),
      );
    if (!may(action, `arn:aws:s3:::${BUCKET}/${key}`)) return "AccessDenied";
    const isMissing = memory.peek(key) === undefined;
    if (method === "GET" && isMissing && !may("s3:ListBucket", `arn:aws:s3:::${BUCKET}`)) return "AccessDenied";
    return undefined;
  }

  async function answerTo(
    request: IncomingMessage,
    response: ServerResponse | undefined,
    method: string,
    key: string,
    body: Buffer,
  ): Promise<void> {
    if (method === "GET") {
      const found = await bucket.get(key);
      if (!response) return;
      if (!found) return refuse(response, 404, "NoSuchKey");
      const written = new Date(now() - (found.ageMilliseconds ?? 0)).toUTCString();
      response.writeHead(200, {
        date: new Date(now()).toUTCString(),
        etag: `"${found.tag}"`,
        "last-modified": written,
        "content-length": found.bytes.length,
      });
      return void response.end(found.bytes);
    }
    if (method === "DELETE") {
      await bucket.remove(key);
      return void response?.writeHead(204).end();
    }
    const { "if-none-match": none, "if-match": match } = request.headers;
    if (quirk === "refuses conditions" && (none ?? match) !== undefined)
      return response && refuse(response, 501, "NotImplemented");
    const tag = await put(key, body, none, match);
    if (!response) return;
    if (tag === undefined) return refuse(response, 412, "PreconditionFailed");
    response.writeHead(200, { etag: `"${tag}"`, "content-length": 0 });
    response.end();
  }

  /** Waits until another request has checked the same object too, or none comes. */
  async function othersLooked(key: string): Promise<void> {
    const waiting = looking.get(key);
    looking.set(key, []);
    for (const go of waiting ?? []) go();
    if (waiting) return;
    await Promise.race([new Promise<void>((go) => looking.set(key, [go])), delay(RACE_MILLISECONDS)]);
    looking.delete(key);
  }

  async function put(
    key: string,
    body: Buffer,
    none: string | undefined,
    match: string | undefined,
  ): Promise<string | undefined> {
    const force = async (): Promise<string | undefined> => {
      memory.tamper(key, body);
      return (await bucket.get(key))?.tag;
    };
    if (quirk === "ignores conditions" || (none ?? match) === undefined) return force();
    const wanted = match?.replace(/^"(.*)"$/, "$1");
    if (quirk === "races") {
      const found = memory.peek(key) && (await bucket.get(key));
      const isRight = none === undefined ? found?.tag === wanted : found === undefined;
      await othersLooked(key);
      return isRight ? force() : undefined;
    }
    if (none !== undefined) return bucket.create(key, body);
    if (quirk === "ignores If-Match") return force();
    return bucket.replace(key, (quirk === "bare tags" ? match : wanted) ?? "", body);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = portOf(server.address());
  return {
    port,
    address: (prefix = "") =>
      `s3://${BUCKET}/${prefix}?region=eu-central-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`,
    requests,
    answer: (next) => {
      instead = next;
    },
    allow: (accessKey, statements) => void policies.set(accessKey, statements),
    keys: memory.keys,
    bucket,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the server must listen on a port");
  return address;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>refused</Message></Error>`;
  response.writeHead(status, { "content-type": "application/xml", "content-length": body.length });
  response.end(body);
}

/** Whether the pattern of a policy, which may have stars, matches the resource. */
function fits(pattern: string, resource: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(resource);
}
