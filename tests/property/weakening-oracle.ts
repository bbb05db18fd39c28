import { objects, optionalObject, optionalText, texts } from "../../lib/core/decode.ts";
import { type Json, type JsonObject, valueAt } from "../../lib/core/json.ts";

/** A request as rules see it: which of three facts hold of it, and how many requests like it came before. */
interface Request {
  readonly a: boolean;
  readonly b: boolean;
  readonly c: boolean;
  readonly times: number;
}

/** Expressions of these tests, and what each means. */
export const MEANINGS: Readonly<Record<string, (request: Request) => boolean>> = {
  a: ({ a }) => a,
  b: ({ b }) => b,
  c: ({ c }) => c,
  "a or b": ({ a, b }) => a || b,
  "(b) or (a) or c": ({ a, b, c }) => a || b || c,
  "a and b": ({ a, b }) => a && b,
  "a && not b": ({ a, b }) => a && !b,
  "not (a)": ({ a }) => !a,
  "not (a or b)": ({ a, b }) => !(a || b),
  "a or b and c": ({ a, b, c }) => a || (b && c),
  "(a or b) and c": ({ a, b, c }) => (a || b) && c,
  "a xor b": ({ a, b }) => a !== b,
  true: () => true,
};

/** What nobody here knows: what a managed rule does by itself. */
interface Unknown {
  readonly action: string;
  readonly enabled: boolean;
}

const BOTH = [true, false] as const;
const REQUESTS: readonly Request[] = BOTH.flatMap((a) =>
  BOTH.flatMap((b) => BOTH.flatMap((c) => [1, 5, 9].map((times) => ({ a, b, c, times })))),
);
const UNKNOWNS: readonly Unknown[] = ["block", "managed_challenge", "log"].flatMap((action) =>
  BOTH.map((enabled) => ({ action, enabled })),
);

/** Whether some request is stopped less than before, or skips a later phase that it did not skip. */
export function letsMoreIn(from: readonly JsonObject[], to: readonly JsonObject[]): boolean {
  return REQUESTS.some((request) =>
    UNKNOWNS.some((unknown) => {
      const [before, after] = [fate(from, request, unknown), fate(to, request, unknown)];
      return after.stop < before.stop || (after.isSkipping && !before.isSkipping);
    }),
  );
}

/** What becomes of a request: it is blocked (2), challenged (1) or let in (0), and perhaps skips a later phase. */
function fate(rules: readonly JsonObject[], request: Request, unknown: Unknown): { stop: number; isSkipping: boolean } {
  let [stop, isSkipping] = [0, false];
  for (const rule of rules.filter(({ enabled }) => enabled !== false)) {
    if (MEANINGS[optionalText(rule, "expression") ?? ""]?.(request) !== true) continue;
    if (request.times <= Number(valueAt(rule, ["ratelimit", "requests_per_period"]) ?? 0)) continue;
    const parameters = optionalObject(rule, "action_parameters") ?? {};
    const action = rule["action"] === "execute" ? managed(parameters, unknown) : rule["action"];
    if (action === "block") return { stop: 2, isSkipping: false };
    if (action === "managed_challenge") stop = 1;
    if (action === "skip") isSkipping ||= texts(parameters, "phases").length > 0;
    if (action === "skip" && parameters["ruleset"] === "current") break;
  }
  return { stop, isSkipping };
}

function managed(parameters: JsonObject, unknown: Unknown): Json {
  const [override = {}] = objects(optionalObject(parameters, "overrides") ?? {}, "rules");
  const isOn = override["enabled"] ?? unknown.enabled;
  return isOn === true ? (optionalText(override, "action") ?? unknown.action) : "log";
}

const VERSIONS = ["1.0", "1.1", "1.2", "1.3"];
/** All that the service knows, which is what a hostname without a list offers; the last one is in no list of these tests. */
const OFFERED = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "AES128-SHA", "DES-CBC3-SHA"];

/** Whether some client gets a worse connection than before, whatever the zone sets for what a hostname leaves open. */
export function servesWorse(from: JsonObject, to: JsonObject): boolean {
  const [least, best] = ["min_tls_version", "tls_1_3"];
  const isLower = VERSIONS.slice(0, 3).some((zone) => rank(to, least, zone) < rank(from, least, zone));
  const isWithout = ["on", "off"].some((zone) => rank(to, best, zone) < rank(from, best, zone));
  return isLower || isWithout || OFFERED.some((one) => OFFERED.some((two) => picksWorse([one, two], from, to)));
}

const RANKS = [...VERSIONS, "off", "on"];

function rank(settings: JsonObject, name: string, zone: string): number {
  return RANKS.indexOf(optionalText(settings, name) ?? zone);
}

/** A client gets the first of the server's ciphers that it has: worse is one that it did not get although both offered it. */
function picksWorse(client: readonly string[], from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [offered(from), offered(to)].map((list) => list.find((cipher) => client.includes(cipher)));
  const isSameForAll = texts(from, "ciphers").length === 0;
  if (isSameForAll || after === undefined || before === after) return false;
  return before === undefined || offered(to).includes(before);
}

function offered(settings: JsonObject): readonly string[] {
  const listed = texts(settings, "ciphers");
  return listed.length === 0 ? OFFERED : listed;
}
