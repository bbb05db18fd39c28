import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/**
 * A service that repeats whatever it is sent, in its errors, its headers and in forms that a log would use. With
 * `behind`, it only does so where something is created, and the service behind it answers the rest. Gives its URL.
 */
export async function repeater(behind?: string): Promise<string> {
  const server = createServer((request, response) => void answer(request, response, behind));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}${behind === undefined ? "" : new URL(behind).pathname}`;
}

async function answer(request: IncomingMessage, response: ServerResponse, behind: string | undefined): Promise<void> {
  const body = await text(request);
  if (behind !== undefined && request.method !== "POST") await passOn(request, body, response, behind);
  else repeat(request, body, response);
}

async function passOn(request: IncomingMessage, body: string, response: ServerResponse, behind: string): Promise<void> {
  const answered = await fetch(`${new URL(behind).origin}${request.url ?? ""}`, {
    method: request.method ?? "GET",
    headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
    ...(body === "" ? {} : { body }),
  });
  response.writeHead(answered.status, { "content-type": "application/json" }).end(await answered.text());
}

/** Our side keeps twenty errors of an answer, and cuts a long message: in the middle of a secret, for instance. */
const MOST_MESSAGES = 20;
const ALMOST_TOO_LONG = "x".repeat(480);

function repeat(request: IncomingMessage, body: string, response: ServerResponse): void {
  const forms = Object.entries(request.headers).flatMap(([name, value]) =>
    /^(?:authorization|x-auth)/.test(name) ? formsOf(String(value).replace("Bearer ", "")) : [],
  );
  const lines = body.split("\\n");
  const whole = `${JSON.stringify(request.headers)} ${body}`;
  const messages = [...forms, whole, ...lines, ...lines.map((line) => `${ALMOST_TOO_LONG} ${line}`)];
  const errors = messages.slice(0, MOST_MESSAGES).map((message, index) => ({ code: 1000 + index, message }));
  response.writeHead(request.method === "GET" ? 403 : 400, {
    "content-type": "application/json",
    "x-repeated": forms.slice(0, 3).join(" "),
    "cf-ray": forms[1] ?? "none",
  });
  response.end(JSON.stringify({ success: false, errors, messages: [], result: null }));
}

function formsOf(credential: string): readonly string[] {
  const encoded = [credential, `user:${credential}`].map((form) => Buffer.from(form).toString("base64"));
  return [credential, encodeURIComponent(credential), ...encoded];
}
