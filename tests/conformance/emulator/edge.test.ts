import { describe, expect, it } from "vitest";
import { at, code, hostnameBody, text, world, ZONE_ID } from "../../support/emulator.ts";

const BASE = "/custom_hostnames";

describe("credentials", () => {
  const get = (headers: Record<string, string>): ReturnType<ReturnType<typeof world>["call"]> =>
    world().call("GET", "/zones", undefined, { authorization: "", ...headers });

  it("are a bearer token, or an e-mail address with its key", () => {
    expect(get({ authorization: "Bearer all" }).status).toBe(200);
    const { service } = world();
    const keyed = (headers: Record<string, string>): number =>
      service.handle({ method: "GET", path: "/client/v4/zones", headers }).status;
    expect(keyed({ "x-auth-email": "ops@saas.net", "x-auth-key": "key" })).toBe(200);
    expect(keyed({ "x-auth-email": "other@saas.net", "x-auth-key": "key" })).toBe(403);
    expect(keyed({ "x-auth-key": "key" })).toBe(400);
    expect(keyed({})).toBe(400);
    expect(keyed({ authorization: "Bearer key" })).toBe(401);
  });

  it("cannot be mixed", () => {
    const mixed = get({ authorization: "Bearer all", "x-auth-key": "key", "x-auth-email": "ops@saas.net" });
    expect([mixed.status, code(mixed)]).toEqual([400, 6003]);
  });

  it("with read permissions only read: a write is 403/10000", () => {
    const { call } = world();
    const headers = { authorization: "Bearer read" };
    expect(call("GET", `/zones/${ZONE_ID}${BASE}`, undefined, headers).status).toBe(200);
    const write = call("POST", `/zones/${ZONE_ID}${BASE}`, hostnameBody("a.customer.net"), headers);
    expect([write.status, code(write)]).toEqual([403, 10000]);
  });

  it("can be verified", () => {
    expect(at(world().call("GET", "/user/tokens/verify"), "result.status")).toBe("active");
  });

  it("reach only their own zones: 9109 for others, and for unknown ones", () => {
    const seed = {
      tokens: [{ value: "all", zones: ["f".repeat(32)] }],
      zones: [{ id: ZONE_ID, name: "saas.net" }],
    };
    const { call } = world({}, { seed });
    expect(code(call("GET", `/zones/${ZONE_ID}`))).toBe(9109);
    expect(code(world().call("GET", `/zones/${"0".repeat(32)}`))).toBe(9109);
    expect(at(call("GET", "/zones"), "result")).toEqual([]);
  });
});

describe("routing", () => {
  it("refuses an unknown route (7003), an unknown method (7001) and a malformed zone (7003)", () => {
    const { call } = world();
    expect([call("GET", "/nowhere").status, code(call("GET", "/nowhere"))]).toEqual([404, 7003]);
    const put = call("PUT", `/zones/${ZONE_ID}/acm/total_tls`, {});
    expect([put.status, code(put)]).toEqual([405, 7001]);
    expect(code(call("GET", "/zones/nonsense"))).toBe(7003);
  });

  it("refuses a custom hostname call without credentials (1403), or without a zone (1402)", () => {
    const { service, call } = world();
    const bare = service.handle({ method: "GET", path: `/client/v4/zones/${ZONE_ID}${BASE}`, headers: {} });
    expect([bare.status, at(JSON.parse(bare.body), "errors.0.code")]).toEqual([400, 1403]);
    const elsewhere = service.handle({ method: "GET", path: "/client/v4/zones", headers: {} });
    expect(at(JSON.parse(elsewhere.body), "errors.0.code")).toBe(9106);
    expect(code(call("GET", `/zones/${BASE}`))).toBe(1402);
  });

  it("refuses bodies without a JSON content type, and bodies that are not JSON (1400)", () => {
    const { service } = world();
    const post = (type: string, body: string): unknown => {
      const headers = { authorization: "Bearer all", "content-type": type };
      const path = `/client/v4/zones/${ZONE_ID}${BASE}`;
      return at(JSON.parse(service.handle({ method: "POST", path, headers, body }).body), "errors.0.code");
    };
    const body = JSON.stringify(hostnameBody("a.customer.net"));
    expect(post("text/plain", body)).toBe(6003);
    expect(post("application/json", "{")).toBe(1400);
    expect(post("application/json; charset=utf-8", body)).toBeUndefined();
  });

  it("finds zones by name", () => {
    const { call } = world();
    const names = (query: string): unknown => at(call("GET", `/zones?${query}`), "result_info.total_count");
    expect([names("name=saas.net"), names("name=saas"), names("name=contains:saas")]).toEqual([1, 0, 1]);
    expect(at(call("GET", `/zones/${ZONE_ID}`), "result.plan.legacy_id")).toBe("enterprise");
  });
});

describe("the request limit", () => {
  it("refuses the 1,201st request in 5 minutes, with the rest of the window in Retry-After, until the window ends", () => {
    const { call, wait } = world();
    const first = call("GET", "/user");
    expect(first.headers["ratelimit"]).toBe('"default";r=1199;t=300');
    expect(first.headers["ratelimit-policy"]).toBe('"burst";q=1200;w=300');
    expect(first.headers["cf-ray"]).toMatch(/^[0-9a-f]{16}-[A-Z]{3}$/);
    expect(first.headers["retry-after"]).toBeUndefined();
    for (let n = 2; n <= 1200; n++) expect(call("GET", "/user").status).toBe(200);
    const refused = call("GET", "/user");
    expect([refused.status, code(refused), refused.headers["retry-after"]]).toEqual([429, 10100, "300"]);
    expect(call("GET", "/user", undefined, { authorization: "Bearer read" }).status).toBe(200);
    wait(299);
    expect(call("GET", "/user").status).toBe(429);
    wait(1);
    expect(call("GET", "/user").status).toBe(200);
  });
});

describe("DNS records", () => {
  it("are created, found, edited, and refused when identical (81058)", () => {
    const { zone } = world();
    const body = { type: "A", name: "www", content: "192.0.2.1" };
    const created = zone("POST", "/dns_records", body);
    expect(at(created, "result")).toMatchObject({ name: "www.saas.net", proxied: false, ttl: 1 });
    expect(code(zone("POST", "/dns_records", body))).toBe(81058);
    const path = `/dns_records/${text(created, "result.id")}`;
    expect(at(zone("PATCH", path, { proxied: true }), "result")).toMatchObject({ proxied: true, content: "192.0.2.1" });
    expect(at(zone("PUT", path, { ...body, content: "192.0.2.2" }), "result.proxied")).toBe(false);
    expect(zone("DELETE", path).status).toBe(200);
    expect(zone("GET", path).status).toBe(404);
  });
});

describe("faults", () => {
  const post = (made: ReturnType<typeof world>, name: string): ReturnType<typeof made.zone> =>
    made.zone("POST", BASE, hostnameBody(name));

  it("throttle with either code, also inside HTTP 200, without effect", () => {
    const made = world();
    for (const [status, wanted] of [
      [429, 10100],
      [429, 971],
      [200, 971],
    ] as const) {
      made.service.core.faults.order({
        fault: { kind: "throttle", code: wanted, status, retryAfter: 7 },
        method: "POST",
      });
      const answer = post(made, "a.customer.net");
      expect([answer.status, code(answer), at(answer, "success")]).toEqual([status, wanted, false]);
      expect(answer.headers["retry-after"]).toBe(status === 429 ? "7" : undefined);
    }
    expect(post(made, "a.customer.net").status).toBe(200);
  });

  it("lose the response after the effect, or the request before it", () => {
    for (const kind of ["lost-reply", "lost-request"] as const) {
      const made = world();
      made.service.core.faults.order({ fault: { kind } });
      expect(post(made, "a.customer.net").raw.connection).toBe("destroyed");
      expect(post(made, "a.customer.net").status).toBe(kind === "lost-reply" ? 409 : 200);
    }
  });

  it("answer in place of the service, before the effect or after it", () => {
    for (const kind of ["html", "gateway-json"] as const) {
      for (const after of [false, true]) {
        const made = world();
        made.service.core.faults.order({ fault: { kind, status: 403, after } });
        const { raw, status } = post(made, "a.customer.net");
        expect([status, raw.body.includes("success")]).toEqual([403, false]);
        expect(post(made, "a.customer.net").status).toBe(after ? 409 : 200);
      }
    }
  });

  it("hide what took effect, or show another object", () => {
    for (const kind of ["no-content", "null-result", "wrong-object"] as const) {
      const made = world();
      made.service.core.faults.order({ fault: { kind } });
      const { raw, status } = post(made, "a.customer.net");
      expect(status).toBe(kind === "no-content" ? 204 : 200);
      if (kind === "no-content") expect(raw.body).toBe("");
      if (kind === "null-result") expect(JSON.parse(raw.body).result).toBeNull();
      if (kind === "wrong-object") expect(JSON.parse(raw.body).result.hostname).toBe("other.a.customer.net");
      expect(post(made, "a.customer.net").status).toBe(409);
    }
  });

  it("apply by method, path and count, after skipping some", () => {
    const { call, zone, service } = world();
    const fault = { kind: "status", status: 503, after: false } as const;
    service.core.faults.order({ fault, method: "GET", path: "/zones/*/dns_records", count: 2, skip: 1 });
    const statuses = [1, 2, 3, 4].map(() => zone("GET", "/dns_records").status);
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(call("GET", "/zones").status).toBe(200);
  });

  it("apply randomly by a seed, the same way each time", () => {
    const play = (): number[] => {
      const { call, service } = world();
      service.core.faults.order({ fault: { kind: "html", status: 502 }, rate: 0.3, seed: 7 });
      return Array.from({ length: 200 }, () => call("GET", "/user").status);
    };
    expect(play()).toEqual(play());
    const hits = play().filter((status) => status === 502).length;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(90);
  });

  it("can be ordered by header for one request", () => {
    const { call } = world();
    expect(call("GET", "/user", undefined, { "x-emulator-fault": "truncated" }).raw.connection).toBe("cut");
    const slow = call("GET", "/user", undefined, { "x-emulator-fault": '{"kind":"slow","milliseconds":5}' });
    expect(slow.raw.delayMilliseconds).toBe(5);
    expect(call("GET", "/user", undefined, { "x-emulator-fault": "nonsense" }).status).toBe(400);
  });

  it("make a list lag, shift or reorder", () => {
    const made = world({ generate: [{ count: 30, pattern: "a{n}.customer.net" }] });
    const names = (answer: ReturnType<typeof made.zone>): unknown[] => {
      const result = at(answer, "result");
      return Array.isArray(result) ? result.map((record) => at(record, "hostname")) : [];
    };
    const whole = names(made.zone("GET", `${BASE}?per_page=100`));
    const id = text(made.zone("GET", BASE), "result.0.id");
    post(made, "new.customer.net");
    made.zone("DELETE", `${BASE}/${id}`);
    made.service.core.faults.order({ fault: { kind: "stale-list", writes: 2 } });
    expect(new Set(names(made.zone("GET", `${BASE}?per_page=100`)))).toEqual(new Set(whole));
    const page = names(made.zone("GET", `${BASE}?per_page=10&page=2`));
    made.service.core.faults.order({ fault: { kind: "shifted-list", by: -1 } });
    expect(names(made.zone("GET", `${BASE}?per_page=10&page=2`)).slice(1)).toEqual(page.slice(0, -1));
    made.service.core.faults.order({ fault: { kind: "reordered-list" } });
    expect(names(made.zone("GET", `${BASE}?per_page=10&page=2`))).not.toEqual(page);
  });
});
