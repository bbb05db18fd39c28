// Measures the rules language: `npm run bench:rules -- [runs]`. Fails if the best of the runs is slower than promised, because
// other load on the machine can only make a run slower.
import { compile, format, parse, requestOf } from "../dist/lib/rules.js";

const RUNS = Number(process.argv[2] ?? 500);
const LONGEST = 4096;
const RULES = 200;

const CLAUSES = [
  'http.host in {"a.example.com" "b.example.com"}',
  'starts_with(lower(http.request.uri.path), "/api/")',
  'any(lower(http.request.headers["user-agent"][*])[*] contains "bot")',
  "not ip.src in {192.0.2.0/24 2001:db8::/32 198.51.100.1..198.51.100.9}",
  '(cf.waf.score lt 20 or http.request.uri.path matches r"^/(api|v[0-9]+)/.*\\.(php|aspx?)$")',
];
const text = expressionOf(LONGEST);

measure(`parse ${text.length} characters`, 2, () => parse(text));
const { expression } = parse(text);
if (expression === undefined) throw new Error("the expression of the benchmark is wrong");
measure(`format ${text.length} characters`, 2, () => format(expression));

const conditions = Array.from({ length: RULES }, (_, number) => compile(parse(ruleOf(number)).expression));
const request = requestOf({
  url: "https://www.example.com/api/v1/users/42?q=hello&page=2",
  headers: [
    ["Host", "www.example.com"],
    ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"],
    ["Cookie", "a=1; session=8521F670545D7865F79C3D7BEDC29CCE"],
  ],
  address: "203.0.113.9",
  fields: new Map([["cf.waf.score", 80]]),
});
measure(`${RULES} rules on a request`, 0.2, () => conditions.filter((matches) => matches(request)));

/** The rule of a zone with many: each sort of clause, with values of its own. */
function ruleOf(number) {
  return [
    `http.host eq "${number}.example.com" and http.request.uri.path eq "/login"`,
    `ip.src in {192.0.2.0/24 198.51.100.${number}} and not ssl`,
    `starts_with(lower(http.request.uri.path), "/api/v${number}/") and cf.waf.score lt 30`,
    `http.request.uri.path matches r"^/(blog|news)/${number}/[0-9]+\\.(php|aspx?)$"`,
    `any(lower(http.request.headers.names[*])[*] eq "x-${number}")`,
    `http.user_agent contains "bot${number}" or not http.request.method in {"GET" "HEAD"}`,
    `http.request.full_uri wildcard "https://*.example.com/${number}/*"`,
    `any(http.request.uri.args["q"][*] contains "select ${number}") or len(http.request.uri.query) gt ${1000 + number}`,
  ][number % 8];
}

/** Joins clauses until no further one fits. */
function expressionOf(length) {
  let joined = "ssl";
  for (let index = 0; ; index += 1) {
    const clause = ` and ${CLAUSES[index % CLAUSES.length]}`;
    if (joined.length + clause.length > length) return joined;
    joined += clause;
  }
}

function measure(what, limitMilliseconds, run) {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).toSorted((one, other) => one - other);
  const [best = 0, median = 0] = [times[0], times[Math.floor(times.length / 2)]];
  console.log(`${what}: ${best.toFixed(3)} ms at best, median ${median.toFixed(3)} ms`);
  if (best > limitMilliseconds) {
    console.error(`${what} takes more than ${limitMilliseconds} ms`);
    process.exitCode = 1;
  }
}
