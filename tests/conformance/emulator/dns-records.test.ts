import Cloudflare from "cloudflare";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../../../lib/emulator.ts";
import { at, code, seedOf, START, text, world, ZONE_ID, type Json } from "../../support/emulator.ts";

const BASE = "/dns_records";
const ADDRESS = { type: "A", name: "a.saas.net", content: "192.0.2.1" };

/** Each type with its members, and the content that they make. */
const STRUCTURED: readonly (readonly [type: string, data: { [key: string]: Json }, content: string])[] = [
  ["CAA", { flags: 0, tag: "issue", value: "letsencrypt.org" }, '0 issue "letsencrypt.org"'],
  ["CERT", { type: 9, key_tag: 1, algorithm: 2, certificate: "AQI=" }, "9 1 2 AQI="],
  ["DNSKEY", { flags: 257, protocol: 3, algorithm: 13, public_key: "AQI=" }, "257 3 13 AQI="],
  ["DS", { key_tag: 1, algorithm: 2, digest_type: 1, digest: "AB" }, "1 2 1 AB"],
  ["HTTPS", { priority: 1, target: ".", value: 'alpn="h3,h2"' }, '1 . alpn="h3,h2"'],
  ["SVCB", { priority: 2, target: "svc.saas.net", value: "port=8443" }, "2 svc.saas.net port=8443"],
  [
    "LOC",
    {
      lat_degrees: 37,
      lat_minutes: 46,
      lat_seconds: 46,
      lat_direction: "N",
      long_degrees: 122,
      long_minutes: 23,
      long_seconds: 35.5,
      long_direction: "W",
      altitude: 0,
      size: 100,
      precision_horz: 0,
      precision_vert: 0,
    },
    "37 46 46.000 N 122 23 35.500 W 0.00m 100.00m 0.00m 0.00m",
  ],
  [
    "NAPTR",
    { order: 100, preference: 10, flags: "u", service: "E2U+sip", regex: "!^.*$!sip:a@b!", replacement: "." },
    '100 10 "u" "E2U+sip" "!^.*$!sip:a@b!" .',
  ],
  ["SRV", { priority: 10, weight: 5, port: 8806, target: "sip.saas.net" }, "10 5 8806 sip.saas.net"],
  ["SSHFP", { algorithm: 4, type: 2, fingerprint: "ABCD" }, "4 2 ABCD"],
  ["SMIMEA", { usage: 3, selector: 0, matching_type: 0, certificate: "ABCD" }, "3 0 0 ABCD"],
  ["TLSA", { usage: 3, selector: 1, matching_type: 1, certificate: "ABCD" }, "3 1 1 ABCD"],
];

describe("a record with data", () => {
  it.each(STRUCTURED)("of type %s is created by data or by content, and shows both", (type, data, content) => {
    const { zone } = world();
    const body = { type, name: "a.saas.net" };
    expect(at(zone("POST", BASE, { ...body, data }), "result")).toMatchObject({ type, data, content });
    expect(at(zone("POST", BASE, { ...body, name: "b.saas.net", content }), "result")).toMatchObject({ data, content });
    expect(code(zone("POST", BASE, { ...body, data }))).toBe(81058);
  });

  it("needs each member (9101), and takes a number that is sent as a string", () => {
    const { zone } = world();
    const srv = (data: { [key: string]: Json }): Json => ({ type: "SRV", name: "_sip._tcp", data });
    const refused = zone("POST", BASE, srv({ priority: 1, port: 5060, target: "sip.saas.net" }));
    expect(at(refused, "errors.0")).toEqual({ code: 9101, message: "weight is a required data field." });
    const sent = { priority: "1", weight: "0", port: "5060", target: "sip.saas.net" };
    expect(at(zone("POST", BASE, srv(sent)), "result.data.port")).toBe(5060);
  });

  it("has the priority of MX and URI beside it", () => {
    const { zone } = world();
    const mx = { type: "MX", name: "@", content: "mx.saas.net" };
    expect(at(zone("POST", BASE, { ...mx, priority: 0 }), "result")).toMatchObject({
      ...mx,
      name: "saas.net",
      priority: 0,
    });
    expect(code(zone("POST", BASE, { ...mx, content: "mx2.saas.net" }))).toBe(9101);
    const uri = { type: "URI", name: "uri", priority: 10, data: { weight: 5, target: "https://saas.net" } };
    expect(at(zone("POST", BASE, uri), "result")).toMatchObject({ priority: 10, content: '5 "https://saas.net"' });
  });

  it("takes a new content instead of its data, and keeps them while neither is sent", () => {
    const { zone } = world();
    const [type, data] = ["CAA", { flags: 0, tag: "issue", value: "pki.goog" }];
    const path = `${BASE}/${text(zone("POST", BASE, { type, name: "a", data }), "result.id")}`;
    expect(at(zone("PATCH", path, { ttl: 300 }), "result.data")).toEqual(data);
    expect(at(zone("PATCH", path, { content: '0 issue "ssl.com"' }), "result.data.value")).toBe("ssl.com");
    expect(at(zone("PATCH", path, { data }), "result.content")).toBe('0 issue "pki.goog"');
  });
});

describe("a record is refused", () => {
  it.each<[string, { [key: string]: Json }, number, string]>([
    ["no IPv4 address", { content: "not-an-ip" }, 9005, "Content for A record must be a valid IPv4 address."],
    ["no IPv6 address", { type: "AAAA" }, 9006, "Content for AAAA record must be a valid IPv6 address."],
    ["no name", { type: "CNAME" }, 9007, "Content for CNAME record is invalid."],
    ["proxied text", { type: "TXT", proxied: true }, 9004, "This record type cannot be proxied."],
    ["no name of its own", { name: "" }, 9000, "DNS name is invalid."],
    ["a TTL of 5", { ttl: 5 }, 9021, "Invalid TTL. Must be between 30 and 86400 seconds, or 1 for Automatic"],
  ])("with %s", (_what, more, expected, message) => {
    const answer = world().zone("POST", BASE, { ...ADDRESS, ...more });
    expect(at(answer, "errors.0")).toEqual({ code: expected, message });
  });

  it("beside a CNAME of its name (81054), and a CNAME beside it (81053)", () => {
    const { zone } = world();
    zone("POST", BASE, ADDRESS);
    expect(code(zone("POST", BASE, { ...ADDRESS, type: "CNAME", content: "b.net" }))).toBe(81053);
    expect(code(zone("POST", BASE, { ...ADDRESS, name: "origin2.saas.net" }))).toBe(81054);
  });
});

it("a comment and tags say when they were last changed, and nothing without them", () => {
  const { zone, wait } = world();
  const created = zone("POST", BASE, { ...ADDRESS, comment: "mine", tags: ["team:a"] });
  const path = `${BASE}/${text(created, "result.id")}`;
  const since = text(created, "result.comment_modified_on");
  expect(text(created, "result.tags_modified_on")).toBe(since);
  wait(10);
  const edited = zone("PATCH", path, { comment: "yours", ttl: 300 });
  expect(at(edited, "result.comment_modified_on")).not.toBe(since);
  expect(at(edited, "result.tags_modified_on")).toBe(since);
  const bare = zone("PATCH", path, { comment: "", tags: [] });
  expect(at(bare, "result")).toMatchObject({ comment: null, tags: [] });
  expect(at(bare, "result.comment_modified_on")).toBeUndefined();
  expect(at(bare, "result.tags_modified_on")).toBeUndefined();
});

it("a call that does not exist is not taken for the id of a record", () => {
  const { zone } = world();
  expect([zone("GET", `${BASE}/usage`).status, code(zone("GET", `${BASE}/usage`))]).toEqual([404, 7003]);
  expect(code(zone("GET", `${BASE}/${"0".repeat(32)}`))).toBe(81044);
});

describe("many records at once", () => {
  it("a batch deletes, then patches, replaces and creates", () => {
    const { zone } = world();
    const ids = ["b", "c", "d"].map((name) => text(zone("POST", BASE, { ...ADDRESS, name }), "result.id"));
    const answer = zone("POST", `${BASE}/batch`, {
      posts: [{ ...ADDRESS, name: "b", content: "192.0.2.2" }],
      puts: [{ ...ADDRESS, id: ids[2] ?? "", name: "e" }],
      patches: [{ id: ids[1] ?? "", ttl: 300 }],
      deletes: [{ id: ids[0] ?? "" }],
    });
    expect(answer.status).toBe(200);
    expect(at(answer, "result")).toMatchObject({
      deletes: [{ id: ids[0], name: "b.saas.net" }],
      patches: [{ id: ids[1], ttl: 300 }],
      puts: [{ id: ids[2], name: "e.saas.net" }],
      posts: [{ name: "b.saas.net", content: "192.0.2.2" }],
    });
  });

  it("a batch with one refused step changes nothing", () => {
    const { zone } = world();
    const id = text(zone("POST", BASE, ADDRESS), "result.id");
    const before = at(zone("GET", BASE), "result");
    const body = {
      deletes: [{ id }],
      posts: [
        { ...ADDRESS, name: "b" },
        { ...ADDRESS, content: "nothing" },
      ],
    };
    expect(code(zone("POST", `${BASE}/batch`, body))).toBe(9005);
    expect(at(zone("GET", BASE), "result")).toEqual(before);
  });

  it("an exported file can be imported again, record by record", async () => {
    const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf() });
    try {
      const client = new Cloudflare({ apiToken: "all", baseURL: emulator.url, maxRetries: 0 });
      const { records } = client.dns;
      const zone_id = ZONE_ID;
      const contents = STRUCTURED.map(([type, , content]) => ({ type, name: "a.saas.net", ttl: 1, content }));
      const more = [
        { type: "MX", name: "saas.net", ttl: 300, content: "mx.saas.net", priority: 5 },
        { type: "TXT", name: "t.saas.net", ttl: 1, content: '"v=spf1; -all"' },
      ];
      // The types of the client do not know `content` beside each type.
      await records.batch({ zone_id, posts: [...contents, ...more] as never });
      const first = await records.list({ zone_id, per_page: 100 });
      const file = await records.export({ zone_id });
      expect(file).toContain("fallback.saas.net.\t1\tIN\tA\t192.0.2.10 ; cf_tags=cf-proxied:true");
      const again = await records.import({ zone_id, file });
      expect(again).toMatchObject({ recs_added: 0, total_records_parsed: first.result.length });
      for (const { id } of first.result) await records.delete(id, { zone_id });
      expect(await records.import({ zone_id, file })).toMatchObject({ recs_added: first.result.length });
      const look = ({ type, name, content, ttl }: (typeof first.result)[number]): unknown => [type, name, content, ttl];
      const second = await records.list({ zone_id, per_page: 100 });
      expect(new Set(second.result.map(look))).toEqual(new Set(first.result.map(look)));
    } finally {
      await emulator.close();
    }
  });

  it("a zone file may have relative names, remarks and directives", () => {
    const made = world();
    const file = [
      "$ORIGIN saas.net.",
      "$TTL 600",
      "@ 3600 IN SOA ns.saas.net. dns.saas.net. 1 2 3 4 5",
      "@ IN NS ns.elsewhere.net.",
      "x IN A 192.0.2.9 ; a remark",
      '  300 IN TXT "one; two"',
      "y 60 IN CNAME x",
    ].join("\n");
    const body = ["--b", 'Content-Disposition: form-data; name="file"; filename="z.txt"', "", file, "--b--", ""].join(
      "\r\n",
    );
    const path = `/client/v4/zones/${ZONE_ID}${BASE}/import`;
    const headers = { authorization: "Bearer all", "content-type": "multipart/form-data; boundary=b" };
    const answer = made.service.handle({ method: "POST", path, headers, body });
    expect(at(JSON.parse(answer.body), "result")).toEqual({ recs_added: 3, total_records_parsed: 3 });
    expect(at(made.zone("GET", `${BASE}?name=x.saas.net&order=type`), "result")).toMatchObject([
      { type: "A", ttl: 600, content: "192.0.2.9" },
      { type: "TXT", ttl: 300, content: '"one; two"' },
    ]);
    expect(at(made.zone("GET", `${BASE}?name=y.saas.net`), "result.0.content")).toBe("x.saas.net");
  });
});
