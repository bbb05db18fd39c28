import { expect, it } from "vitest";
import { compileValue } from "../../lib/rules-language/evaluate/evaluate.ts";
import { requestOf } from "../../lib/rules-language/evaluate/request.ts";
import type { Value } from "../../lib/rules-language/evaluate/values.ts";
import { readAddress } from "../../lib/rules-language/addresses.ts";
import { parseValue } from "../../lib/rules-language/parser.ts";
import { FUNCTIONS } from "../../lib/rules-language/tables/functions.ts";
import { diceOf } from "../sim/dice.ts";
import { inFull } from "../support/full.ts";
import { confusedRequest } from "./random-requests.ts";

/** A call, the fields of the request, and the value of the call. */
type Example = readonly [call: string, given: Readonly<Record<string, Value | undefined>>, value: Value | undefined];

const NAMES = { "http.request.headers.names": ["A", "bc", "Def"] };
const BODY = { "http.request.body.raw": "asdfghjk" };
const NOTHING = { "http.host": undefined };

/** Examples of the documentation, and what it leaves open. */
const EXAMPLES: readonly Example[] = [
  ['any(http.request.headers.names[*] eq "bc")', NAMES, true],
  ['any(http.request.headers.names[*] eq "x")', NAMES, false],
  ['all(http.request.headers.names[*] ne "x")', NAMES, true],
  ['all(http.request.headers.names[*] ne "bc")', NAMES, false],
  ['any(starts_with(http.request.headers.names[*], "D"))', NAMES, true],
  ["cidr(ip.src, 24, 24)", { "ip.src": address("113.10.0.2") }, address("113.10.0.0")],
  ["cidr(ip.src, 24, 24)", { "ip.src": address("2001:0000:130F:0000:0000:09C0:876A:130B") }, address("2001::")],
  ["cidr6(ip.src, 24)", { "ip.src": address("2001:0000:130F:0000:0000:09C0:876A:130B") }, address("2001::")],
  ["cidr6(ip.src, 24)", { "ip.src": address("113.10.0.2") }, address("113.10.0.2")],
  ['coalesce(http.host, "b")', { "http.host": "a" }, "a"],
  ['coalesce(http.host, "b")', NOTHING, "b"],
  ["coalesce(http.host, http.referer)", { "http.host": undefined, "http.referer": undefined }, undefined],
  ['concat("String1", " ", "String", "2")', {}, "String1 String2"],
  [
    'concat("/", http.request.accepted_languages[0], http.request.uri.path)',
    { "http.request.uri.path": "/my-path" },
    "//my-path",
  ],
  ["concat(substring(http.host, 0, 1), substring(http.host, 1))", { "http.host": "ä" }, "ä"],
  ["concat(http.request.headers.names, http.request.headers.names)", NAMES, ["A", "bc", "Def", "A", "bc", "Def"]],
  ['any(decode_base64(http.request.headers["client_id"][*])[*] eq "123abc")', headers("client_id", "MTIzYWJj"), true],
  ["decode_base64(http.host)", { "http.host": "no!" }, undefined],
  ['encode_base64("hello world")', {}, "aGVsbG8gd29ybGQ"],
  ['encode_base64("hello world", "p")', {}, "aGVsbG8gd29ybGQ="],
  ['encode_base64("hello world", "u")', {}, "aGVsbG8gd29ybGQ"],
  ['encode_base64("\\xfb\\xff", "up")', {}, "-_8="],
  ['ends_with(http.request.uri.path, ".html")', { "http.request.uri.path": "/welcome.html" }, true],
  ['has_key(http.request.headers, "x-a")', headers("x-a", "1"), true],
  ['has_key(http.request.headers, "x-b")', headers("x-a", "1"), false],
  ['has_value(http.request.headers.names, "bc")', NAMES, true],
  ['has_value(http.request.headers.names, "BC")', NAMES, false],
  ["hash_in_range(5, 6, http.host)", { "http.host": "a" }, 5n],
  [
    'is_timed_hmac_valid_v0("mysecrettoken", http.request.uri, 10800, http.request.timestamp.sec, 8)',
    hmac(1_484_063_787 + 10_799),
    true,
  ],
  [
    'is_timed_hmac_valid_v0("mysecrettoken", http.request.uri, 10800, http.request.timestamp.sec, 8)',
    hmac(1_484_063_787 + 10_800),
    false,
  ],
  [
    'is_timed_hmac_valid_v0("another", http.request.uri, 10800, http.request.timestamp.sec, 8)',
    hmac(1_484_063_787),
    false,
  ],
  ['join(http.request.headers.names, ",")', NAMES, "A,bc,Def"],
  ['join(http.request.headers.names, ",")', { "http.request.headers.names": [] }, ""],
  ["len(http.host)", { "http.host": "example.com" }, 11],
  ["len(http.host)", { "http.host": "ä€😀" }, 9],
  ["len(http.request.headers.names)", NAMES, 3],
  ["len(http.host)", NOTHING, undefined],
  ['lookup_json_integer(http.request.body.raw, "version")', body('{ "record_id": "aed53a", "version": 2 }'), 2n],
  ['lookup_json_integer(http.request.body.raw, "product", "id")', body('{ "product": { "id": 356 } }'), 356n],
  ["lookup_json_integer(http.request.body.raw, 1)", body('["first_item", -234]'), -234n],
  ['lookup_json_integer(http.request.body.raw, "network_ids", 0)', body('{ "network_ids": [123, 456] }'), 123n],
  [
    'lookup_json_integer(http.request.body.raw, 1, "product_id")',
    body('[{ "product_id": 123 }, { "product_id": 456 }]'),
    456n,
  ],
  ['lookup_json_integer(http.request.body.raw, "a")', body('{ "a": 42.0 }'), undefined],
  ['lookup_json_integer(http.request.body.raw, "a")', body('{ "a": 9007199254740993 }'), 9_007_199_254_740_993n],
  ['lookup_json_integer(http.request.body.raw, "a")', body('{ "a": 9223372036854775808 }'), undefined],
  ['lookup_json_integer(http.request.body.raw, "a")', body('{ "a": "1" }'), undefined],
  ['lookup_json_string(http.request.body.raw, "company")', body('{ "company": "cloudflare" }'), "cloudflare"],
  ['lookup_json_string(http.request.body.raw, "network", "name")', body('{ "network": { "name": "a" } }'), "a"],
  ["lookup_json_string(http.request.body.raw, 1)", body('["other_company", "cloudflare"]'), "cloudflare"],
  ['lookup_json_string(http.request.body.raw, "networks", 1)', body('{ "networks": ["a", "b"] }'), "b"],
  ['lookup_json_string(http.request.body.raw, 1, "network")', body('[{ "network": "a" }, { "network": "b" }]'), "b"],
  ['lookup_json_string(http.request.body.raw, "a")', body('{ "a": "\\u00e4\\"" }'), 'ä"'],
  ['lookup_json_string(http.request.body.raw, "a")', body("no JSON"), undefined],
  ["lower(http.host)", { "http.host": "WWW.cloudflare.ÄCOM" }, "www.cloudflare.Äcom"],
  ["lower(http.request.headers.names[*])[2]", NAMES, "def"],
  ['regex_replace("/foo/bar", "/bar$", "/baz")', {}, "/foo/baz"],
  ['regex_replace("/x", "^/y$", "/mumble")', {}, "/x"],
  ['regex_replace("/foo", "^/FOO$", "/x")', {}, "/foo"],
  ['regex_replace("/a/a", "/a", "/b")', {}, "/b/a"],
  ['regex_replace("/b", "^/b$", "/b$$")', {}, "/b$"],
  ['regex_replace("/foo/a/path", "^/foo/([^/]*)/(.*)$", "/bar/${2}/${1}")', {}, "/bar/path/a"],
  ['regex_replace("/ä/b", "b", "€")', {}, "/ä/€"],
  ['regex_replace("ab", "(a)b", "${x}${2}${0}$${1}$")', {}, "${x}ab${1}$"],
  ['regex_replace(http.host, "\\\\\\\\", "a")', { "http.host": "1\\2" }, "1a2"],
  ['remove_bytes(http.host, "\\x2e\\x77")', { "http.host": "www.cloudflare.com" }, "cloudflarecom"],
  ['remove_query_args(http.request.uri.query, "country")', query("order=asc&country=GB"), "order=asc"],
  ['remove_query_args(http.request.uri.query, "order")', query("order=asc&country=GB"), "country=GB"],
  ['remove_query_args(http.request.uri.query, "search")', query("order=asc&country=GB"), "order=asc&country=GB"],
  [
    'remove_query_args(http.request.uri.query, "order")',
    query("category=Foo&order=desc&category=Bar"),
    "category=Foo&category=Bar",
  ],
  [
    'remove_query_args(http.request.uri.query, "category")',
    query("category=Foo&order=desc&category=Bar"),
    "order=desc",
  ],
  ['len(sha256("my-token"))', {}, 32],
  ['encode_base64(sha256("abc"))', {}, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0"],
  [
    'split(http.host, ",", 64)',
    { "http.host": "groceries,electronics,diy,auto" },
    ["groceries", "electronics", "diy", "auto"],
  ],
  [
    'split(http.host, ",", 3)',
    { "http.host": "groceries,electronics,diy,auto" },
    ["groceries", "electronics", "diy,auto"],
  ],
  ['split(http.host, ",", 64)', { "http.host": "groceries,,electronics" }, ["groceries", "", "electronics"]],
  ['split(http.host, ",", 64)', NOTHING, undefined],
  ['split(http.host, "\\xa4", 2)', { "http.host": "aäbäc" }, ["a\udcc3", "bäc"]],
  ['starts_with(http.request.uri.path, "/blog")', { "http.request.uri.path": "/blog/first-post" }, true],
  ['starts_with(http.request.uri.path, "/blog")', { "http.request.uri.path": undefined }, undefined],
  ["substring(http.request.body.raw, 2, 5)", BODY, "dfg"],
  ["substring(http.request.body.raw, 2)", BODY, "dfghjk"],
  ["substring(http.request.body.raw, -2)", BODY, "jk"],
  ["substring(http.request.body.raw, 0, -2)", BODY, "asdfgh"],
  ["substring(http.host, 2)", { "http.host": "äb" }, "b"],
  ["to_string(cf.bot_management.score)", { "cf.bot_management.score": 5 }, "5"],
  ["to_string(ssl)", { ssl: true }, "true"],
  ["to_string(ip.src)", { "ip.src": address("192.0.2.1") }, "192.0.2.1"],
  ["to_string(ip.src)", { "ip.src": address("2001:0DB8:0:0:1:0:0:1") }, "2001:db8::1:0:0:1"],
  ["to_string(ip.src)", { "ip.src": address("::") }, "::"],
  ["to_string(ip.src)", { "ip.src": address("1::") }, "1::"],
  ["upper(http.host)", { "http.host": "www.cloudflare.com" }, "WWW.CLOUDFLARE.COM"],
  ["url_decode(http.host)", { "http.host": "John%20Doe" }, "John Doe"],
  ["url_decode(http.host)", { "http.host": "John+Doe" }, "John Doe"],
  ["url_decode(http.host)", { "http.host": "%2520" }, "%20"],
  ['url_decode(http.host, "r")', { "http.host": "%2520" }, " "],
  ['url_decode(http.host, "u")', { "http.host": "%u2601" }, "☁"],
  ["url_decode(http.host)", { "http.host": "%u2601%zz%e4%bd%a0" }, "%u2601%zz你"],
  ["len(url_decode(http.host))", { "http.host": "%E4%BD" }, 2],
  [
    'any(url_decode(http.request.headers.names[*])[*] contains "an xss")',
    { "http.request.headers.names": ["an+xss"] },
    true,
  ],
  ['url_decode(http.request.uri.path) matches "(?u)\\p{Hangul}+"', { "http.request.uri.path": "/%ED%95%9C" }, true],
  ["uuidv4(cf.random_seed)", { "cf.random_seed": "seed" }, "19b25856-e1c1-40ca-834c-ffc8b59b23ad"],
  [
    'wildcard_replace(http.request.full_uri, "https://*.example.com/*/*", "https://example.com/${1}/${2}/${3}")',
    { "http.request.full_uri": "https://apps.example.com/calendar/admin?expand=true" },
    "https://example.com/apps/calendar/admin?expand=true",
  ],
  [
    'wildcard_replace(http.request.full_uri, "/applications/*", "/apps/${1}")',
    { "http.request.full_uri": "https://example.com/applications/app1" },
    "https://example.com/applications/app1",
  ],
  ['wildcard_replace(http.request.uri.path, "/*", "/apps/${1}")', path("/calendar"), "/apps/calendar"],
  ['wildcard_replace(http.request.uri.path, "/apps/*", "/${1}")', path("/Apps/calendar"), "/calendar"],
  ['wildcard_replace(http.request.uri.path, "/apps/*", "/${1}", "s")', path("/Apps/calendar"), "/Apps/calendar"],
  [
    'wildcard_replace(http.request.uri.path, "/apps/*/login", "/${1}/login")',
    path("/apps/calendar/login"),
    "/calendar/login",
  ],
];

it.each(EXAMPLES)("%s of %o is %o", (call, given, value) => {
  const fields = Object.entries(given).flatMap(([name, of]): [string, Value][] =>
    of === undefined ? [] : [[name, of]],
  );
  expect(compileValue(read(call))({ fields: new Map(fields) })).toEqual(value);
});

it("no function throws, whatever its values are", () => {
  const dice = diceOf(29);
  for (const [call] of EXAMPLES) {
    const compute = compileValue(read(call));
    for (let number = 0; number < inFull(1_000, 10); number += 1)
      expect(() => compute(confusedRequest(dice))).not.toThrow();
  }
});

it("each function has an example, or cannot be computed", () => {
  const shown = new Set(EXAMPLES.flatMap(([call]) => call.match(/\w+(?=\()/g) ?? []));
  expect([...FUNCTIONS.keys()].filter((name) => !shown.has(name))).toEqual(["bit_slice"]);
});

it("a request has every field that its parts give", () => {
  const { fields } = requestOf({
    method: "post",
    url: "http://example.com:8080/a/b.Tar.GZ?x=1&y&x=2%20",
    headers: [
      ["Host", "www.example.com"],
      ["Cookie", "a%20b=1; c=2; c=3"],
      ["X-Forwarded-For", "192.0.2.1"],
      ["Accept-Language", "fr-CH, fr;q=0.8, en;q=0.9, de;q=0.7, *;q=0.5"],
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    body: "user=me&pass=ü",
    address: "2001:db8::1",
    time: 1_484_063_137_857,
    fields: new Map<string, Value>([
      ["cf.waf.score", 20],
      ["ip.src.country", "DE"],
    ]),
  });
  expect(
    Object.fromEntries([...fields].filter(([name]) => !name.startsWith("cf.tls") && !name.startsWith("raw."))),
  ).toEqual({
    "cf.appsec.request.failed_detections": [],
    "cf.edge.client_tcp": true,
    "cf.edge.server_port": 8080,
    "cf.threat_score": 0,
    "cf.waf.score": 20,
    "cf.worker.upstream_zone": "",
    "http.cookie": "a%20b=1; c=2; c=3",
    "http.host": "www.example.com",
    "http.referer": "",
    "http.request.accepted_languages": ["fr-CH", "en", "fr", "de"],
    "http.request.body.form": new Map([
      ["user", ["me"]],
      ["pass", ["ü"]],
    ]),
    "http.request.body.form.names": ["user", "pass"],
    "http.request.body.form.values": ["me", "ü"],
    "http.request.body.raw": "user=me&pass=ü",
    "http.request.body.size": 15,
    "http.request.body.truncated": false,
    "http.request.cookies": new Map([
      ["a b", ["1"]],
      ["c", ["2", "3"]],
    ]),
    "http.request.full_uri": "http://www.example.com/a/b.Tar.GZ?x=1&y&x=2%20",
    "http.request.headers": new Map([
      ["host", ["www.example.com"]],
      ["cookie", ["a%20b=1; c=2; c=3"]],
      ["x-forwarded-for", ["192.0.2.1"]],
      ["accept-language", ["fr-CH, fr;q=0.8, en;q=0.9, de;q=0.7, *;q=0.5"]],
      ["content-type", ["application/x-www-form-urlencoded"]],
    ]),
    "http.request.headers.names": ["Host", "Cookie", "X-Forwarded-For", "Accept-Language", "Content-Type"],
    "http.request.headers.truncated": false,
    "http.request.headers.values": expect.arrayContaining(["192.0.2.1"]),
    "http.request.method": "POST",
    "http.request.timestamp.msec": 857,
    "http.request.timestamp.sec": 1_484_063_137,
    "http.request.uri": "/a/b.Tar.GZ?x=1&y&x=2%20",
    "http.request.uri.args": new Map([
      ["x", ["1", "2%20"]],
      ["y", [""]],
    ]),
    "http.request.uri.args.names": ["x", "y", "x"],
    "http.request.uri.args.values": ["1", "", "2%20"],
    "http.request.uri.path": "/a/b.Tar.GZ",
    "http.request.uri.path.extension": "gz",
    "http.request.uri.query": "x=1&y&x=2%20",
    "http.request.version": "HTTP/1.1",
    "http.user_agent": "",
    "http.x_forwarded_for": "192.0.2.1",
    "ip.geoip.country": "DE",
    "ip.src": address("2001:db8::1"),
    "ip.src.country": "DE",
    ssl: false,
  });
  expect(fields.get("raw.http.request.uri.path.extension")).toBe("GZ");
  expect(fields.get("raw.http.request.uri.query")).toBe("x=1&y&x=2%20");
});

it.each([
  ["/foo", ""],
  ["/foo.mp3", "mp3"],
  ["/.mp3", ""],
  ["/.foo.mp3", "mp3"],
  ["/foo.tar.bz2", "bz2"],
  ["/foo.", ""],
  ["/foo.MP3", "mp3"],
  ["/a.b/foo", ""],
])("the extension of %s is %o", (of, extension) => {
  expect(requestOf({ url: of }).fields.get("http.request.uri.path.extension")).toBe(extension);
});

function read(text: string) {
  const { expression, problems } = parseValue(text);
  if (expression === undefined) throw new Error(`${text}: ${JSON.stringify(problems)}`);
  return expression;
}

function address(text: string): Value {
  const read = readAddress(text);
  if (read === undefined) throw new Error(text);
  return read;
}

function headers(name: string, value: string) {
  return { "http.request.headers": new Map([[name, [value]]]) };
}

function body(raw: string) {
  return { "http.request.body.raw": raw };
}

function query(text: string) {
  return { "http.request.uri.query": text };
}

function path(text: string) {
  return { "http.request.uri.path": text };
}

/** A token as the program in the documentation makes it, at a time. */
function hmac(seconds: number) {
  const uri = "/images/cat.jpg?verify=1484063787-XsZ5NmtNBxOd4f4fBOtqVmpWRnDRNkHKVZieqDPKu3U%3D";
  return { "http.request.uri": uri, "http.request.timestamp.sec": seconds };
}
