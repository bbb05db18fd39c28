import { describe, expect, it } from "vitest";
import type { ApiRequest } from "../../../lib/service/client.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import { answer, clientOver } from "./world.ts";

const READ: ApiRequest = { method: "GET", path: "/zones/z", family: "zones" };
const EARLY = "Sat, 21 Nov 2026 06:00:00 GMT";
const LATE = "Sat, 28 Nov 2026 06:00:07 GMT";

function dated(response: HttpResponse, date: string): HttpResponse {
  return { ...response, headers: { ...response.headers, date } };
}

describe("the service's time", () => {
  it("is the Date header of its newest answer, and not the local clock", async () => {
    const dates = [EARLY, LATE];
    const { client } = clientOver(() => dated(answer({ id: "z" }), dates.shift() ?? ""));
    expect(client.serviceTime()).toBeUndefined();
    await client.send(READ);
    expect(client.serviceTime()).toBe(Date.UTC(2026, 10, 21, 6));
    await client.send(READ);
    expect(client.serviceTime()).toBe(Date.UTC(2026, 10, 28, 6, 0, 7));
  });

  it("stays the same if an answer has no readable date", async () => {
    const answers = [dated(answer({ id: "z" }), EARLY), answer({ id: "z" }), dated(answer({ id: "z" }), "yesterday")];
    const { client } = clientOver(() => answers.shift() ?? answer({ id: "z" }));
    for (let count = 0; count < 3; count += 1) await client.send(READ);
    expect(client.serviceTime()).toBe(Date.UTC(2026, 10, 21, 6));
  });

  it("is never taken from a proxy", async () => {
    const page = { status: 403, headers: { "content-type": "text/html", date: LATE }, body: "<html>not here</html>" };
    const { client } = clientOver(() => page);
    await expect(client.send(READ)).rejects.toThrow();
    expect(client.serviceTime()).toBeUndefined();
  });
});
