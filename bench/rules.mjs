// Measures the rules language: `npm run bench:rules -- [runs]`. Fails if the best of the runs is slower than promised, because
// other load on the machine can only make a run slower.
import { format, parse } from "../dist/lib/rules.js";

const RUNS = Number(process.argv[2] ?? 500);
const LIMIT_MILLISECONDS = 2;
const LONGEST = 4096;

const CLAUSES = [
  'http.host in {"a.example.com" "b.example.com"}',
  'starts_with(lower(http.request.uri.path), "/api/")',
  'any(lower(http.request.headers["user-agent"][*])[*] contains "bot")',
  "not ip.src in {192.0.2.0/24 2001:db8::/32 198.51.100.1..198.51.100.9}",
  '(cf.waf.score lt 20 or http.request.uri.path matches r"^/(api|v[0-9]+)/.*\\.(php|aspx?)$")',
];
const text = expressionOf(LONGEST);

measure(`parse ${text.length} characters`, () => parse(text));
const { expression } = parse(text);
if (expression === undefined) throw new Error("the expression of the benchmark is wrong");
measure(`format ${text.length} characters`, () => format(expression));

/** Joins clauses until no further one fits. */
function expressionOf(length) {
  let joined = "ssl";
  for (let index = 0; ; index += 1) {
    const clause = ` and ${CLAUSES[index % CLAUSES.length]}`;
    if (joined.length + clause.length > length) return joined;
    joined += clause;
  }
}

function measure(what, run) {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).toSorted((one, other) => one - other);
  const [best = 0, median = 0] = [times[0], times[Math.floor(times.length / 2)]];
  console.log(`${what}: ${best.toFixed(2)} ms at best, median ${median.toFixed(2)} ms`);
  if (best > LIMIT_MILLISECONDS) {
    console.error(`${what} takes more than ${LIMIT_MILLISECONDS} ms`);
    process.exitCode = 1;
  }
}
