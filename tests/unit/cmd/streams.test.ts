import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { filterWrites } from "../../../cmd/streams.ts";
import { redactionOf } from "../../../lib/real/credential-redaction.ts";
import { Secret } from "../../../lib/core/secret.ts";

const TOKEN = "c4nary-token-é-value";

/** A stream that is filtered, what came out of it so far, and its end. */
function filtered(env: Readonly<Record<string, string>>) {
  const stream = new PassThrough();
  const redaction = redactionOf(env);
  const end = filterWrites(stream, redaction);
  const out = (): string => stream.read()?.toString() ?? "";
  return { stream, redaction, end, out };
}

test("a secret that comes in two writes does not go out", () => {
  const { stream, out, end } = filtered({ CLOUDFLARE_API_TOKEN: TOKEN });
  stream.write(`before ${TOKEN.slice(0, 9)}`);
  stream.write(`${TOKEN.slice(9)} after\n`);
  end();
  expect(out()).toBe("before (sensitive) after\n");
});

test("a secret that comes in bytes, cut inside of a character, does not go out", () => {
  const { stream, out, end } = filtered({ CLOUDFLARE_API_KEY: TOKEN });
  const bytes = Buffer.from(`before ${TOKEN} after\n`);
  const cut = bytes.indexOf(0xc3) + 1;
  stream.write(bytes.subarray(0, cut));
  stream.write(bytes.subarray(cut));
  end();
  expect(out()).toBe("before (sensitive) after\n");
});

test("a line that is written in pieces goes out whole", () => {
  const { stream, out } = filtered({ CLOUDFLARE_API_KEY: TOKEN });
  stream.write(`one\ntwo ${TOKEN.slice(0, 9)}`);
  expect(out()).toBe("one\n");
  stream.write(`${TOKEN.slice(9)}\n`);
  expect(out()).toBe("two (sensitive)\n");
});

test("a question goes out though no line end follows, and whoever waits for a write is told", async () => {
  const { stream, out } = filtered({ CLOUDFLARE_API_KEY: TOKEN });
  await new Promise((resolve) => stream.write(`carry out ${TOKEN}? `, resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(out()).toBe("carry out (sensitive)? ");
});

test("the beginning of a line goes out when the process ends", () => {
  const { stream, out, end } = filtered({});
  stream.write("the end");
  end();
  expect(out()).toBe("the end");
});

test("a credential that was copied with its header is known by its parts as well", () => {
  const { redaction } = filtered({ CLOUDFLARE_API_TOKEN: `Authorization: Bearer c4nary-token\n` });
  expect(redaction.redact("x c4nary-token y")).toBe("x (sensitive) y");
});

test("an e-mail address is no secret; a key that was put in its place is one", () => {
  const { redaction } = filtered({ CLOUDFLARE_EMAIL: "ops@saas.dev" });
  expect(redaction.redact("ask ops@saas.dev")).toBe("ask ops@saas.dev");
  const swapped = filtered({ CLOUDFLARE_EMAIL: "c4nary-key-value", CLOUDFLARE_API_KEY: "ops@saas.dev" }).redaction;
  expect(swapped.redact("key c4nary-key-value")).toBe("key (sensitive)");
});

test("a secret that is learned later is masked from then on", () => {
  const { stream, redaction, out } = filtered({});
  stream.write("one c4nary\n");
  redaction.learn(new Secret("c4nary"));
  stream.write("two c4nary\n");
  expect(out()).toBe("one c4nary\ntwo (sensitive)\n");
});

test("the tokens that the emulator starts with are no secrets, the one that guards its admin API is", () => {
  const { stream, out, end } = filtered({ CLOUDFLARE_API_TOKEN: "emulator-token", ZONEFORM_EMULATOR_TOKEN: TOKEN });
  stream.write(`export CLOUDFLARE_API_TOKEN=emulator-token, ${TOKEN}\n`);
  end();
  expect(out()).toBe("export CLOUDFLARE_API_TOKEN=emulator-token, (sensitive)\n");
});
