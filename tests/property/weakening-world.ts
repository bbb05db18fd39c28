/** What expressions test of a request: three facts, and its host. */
export interface Facts {
  readonly a: boolean;
  readonly b: boolean;
  readonly c: boolean;
  readonly host: "x" | "y" | "z";
}

const BOTH = [true, false] as const;

/** Every request that the expressions can distinguish. */
export const ALL_FACTS: readonly Facts[] = BOTH.flatMap((a) =>
  BOTH.flatMap((b) => BOTH.flatMap((c) => (["x", "y", "z"] as const).map((host) => ({ a, b, c, host })))),
);

/** Expressions of these tests, and what each means. */
export const MEANINGS: Readonly<Record<string, (facts: Facts) => boolean>> = {
  a: ({ a }) => a,
  b: ({ b }) => b,
  "a or b": ({ a, b }) => a || b,
  "(b) or (a) or c": ({ a, b, c }) => a || b || c,
  "a and b": ({ a, b }) => a && b,
  "a && not b": ({ a, b }) => a && !b,
  "not (a)": ({ a }) => !a,
  "not (a or b)": ({ a, b }) => !(a || b),
  "a or b and c": ({ a, b, c }) => a || (b && c),
  "(a or b) and c": ({ a, b, c }) => (a || b) && c,
  "a xor b": ({ a, b }) => a !== b,
  'host eq "x"': ({ host }) => host === "x",
  'host in {"y" "x"}': ({ host }) => host !== "z",
  'not host in {"x"}': ({ host }) => host !== "x",
  'host in {"y" "z"} and a': ({ a, host }) => a && host !== "x",
  true: () => true,
};

/**
 * A request: this many came each second until this many seconds ago, managed rules do this to it, and its zone has this
 * level.
 */
export interface Request extends Facts {
  readonly rate: number;
  readonly calm: number;
  readonly managed: string;
  readonly isOn: boolean;
  readonly zone: string;
}

/** Security levels, and how soon DDoS protection reacts, weakest first. */
export const LEVELS: readonly string[] = ["off", "low", "medium", "high"];
export const REACTIONS: readonly string[] = ["eoff", "low", "default"];

const PLAIN = { rate: 0, calm: 0, managed: "log", isOn: true, zone: "high" };
const COMING = [0.1, 1].flatMap((rate) => [0, 100].map((calm) => ({ ...PLAIN, rate, calm })));
const ATTACKING = ["block", "managed_challenge", "log"].flatMap((managed) =>
  BOTH.map((isOn) => ({ ...PLAIN, managed, isOn })),
);
const ELSEWHERE = LEVELS.map((zone) => ({ ...PLAIN, zone }));

/** Requests of every sort. */
export const REQUESTS: readonly Request[] = ALL_FACTS.flatMap((facts) =>
  [...COMING, ...ATTACKING, ...ELSEWHERE].map((way) => ({ ...facts, ...way })),
);

/** Versions of TLS, oldest first. */
export const VERSIONS: readonly string[] = ["1.0", "1.1", "1.2", "1.3"];

/** What a zone sets for hostnames that leave it open. */
export interface Zone {
  readonly least: string;
  readonly best: "on" | "off";
}

/**
 * Zones of every sort except with a minimum of 1.3: a hostname with 1.2 is sound in every zone
 * (docs/hazards.md#what-weakens-protection).
 */
export const ZONES: readonly Zone[] = ["1.0", "1.1", "1.2"].flatMap((least) =>
  (["on", "off"] as const).map((best) => ({ least, best })),
);

/** The service's ciphers, in its own order, and how good they are (docs/hazards.md#ciphers). */
export const CIPHERS: ReadonlyMap<string, number> = new Map([
  ["ECDHE-ECDSA-AES128-GCM-SHA256", 3],
  ["ECDHE-RSA-AES128-GCM-SHA256", 3],
  ["ECDHE-RSA-CHACHA20-POLY1305", 3],
  ["ECDHE-RSA-AES128-SHA", 2],
  ["ECDHE-ECDSA-AES128-SHA", 2],
  ["AES128-SHA", 1],
  ["AES256-SHA", 1],
  ["DES-CBC3-SHA", 0],
  ["RC4-SHA", 0],
]);

/** A client: its newest version, by index, and its ciphers. */
export interface Client {
  readonly version: number;
  readonly ciphers: readonly string[];
}

/** What a client gets. */
export interface Connection {
  readonly version: number;
  readonly good: number;
}

const NAMES = [...CIPHERS.keys()];

/** Clients of every version, and with TLS 1.2 those with one or two ciphers, which show every choice between two. */
export const CLIENTS: readonly Client[] = [
  ...VERSIONS.map((_, version) => ({ version, ciphers: NAMES })),
  ...NAMES.flatMap((one) => NAMES.map((other) => ({ version: 2, ciphers: [one, other] }))),
];
