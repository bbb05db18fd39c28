import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { curlOf, dashboardCurlOf } from "../../../../pages/emulator/curl.ts";

/** What a shell makes of the command: the words that curl gets. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { CLOUDFLARE_BASE_URL: "http://127.0.0.1:8787/client/v4", CLOUDFLARE_API_TOKEN: "secret" };
  return execFileSync("sh", ["-c", script], { encoding: "utf8", env }).split("\0").slice(0, -1);
}

it.each(['it\'s $(id) `id` \\ "x" !!', "two\nlines", "-d", "{}", "'"])(
  "curl gets exactly the path and the body that were sent: %j",
  (text) => {
    const json = ["-H", "Content-Type: application/json", "-d", text];
    const sent = ["-X", "PATCH", `http://127.0.0.1:8787/client/v4/zones/${text}`, "-H", "Authorization: Bearer secret"];
    expect(wordsOf(curlOf({ method: "PATCH", path: `/zones/${text}`, body: text }))).toEqual([...sent, ...json]);
    const edit = { method: "PUT", path: `/${text}`, body: text };
    const edited = ["-X", "PUT", `http://localhost:1/_admin/api/${text}`];
    expect(wordsOf(dashboardCurlOf("http://localhost:1", edit))).toEqual([...edited, ...json]);
  },
);
