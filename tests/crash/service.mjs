// The emulator on loopback, in the process of the script. So it survives its clients, and the script can act at the moment when
// a write comes in.
import { createAdmin, createService } from "../../dist/lib/emulator.js";
import { listen } from "../../dist/lib/emulator/server.js";

/** The only zone. */
export const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };
export const TOKEN = "crash-token";

/** A foreign hostname, which has to be the same at the end as at the beginning. */
export const THEIR_HOSTNAME = "theirs.example.org";
export const THEIR_RULE = {
  ref: "theirs",
  action: "execute",
  expression: "true",
  action_parameters: { id: "c2e184081120413c86c3ab7e14069605" },
};
export const ENTRY_POINT = "http_request_firewall_managed";

/** Limits too high to matter: the scripts test crashes, and other tests the limits. */
const WITHOUT_LIMITS = { api_requests: 1_000_000, issuance_per_minute: 100_000 };
const SEED = {
  accounts: [WITHOUT_LIMITS],
  tokens: [{ value: TOKEN }],
  zones: [
    {
      ...ZONE,
      plan: "enterprise",
      dns_records: ["fallback", "fallback2"].map((name) => ({
        type: "A",
        name: `${name}.saas.net`,
        content: "192.0.2.10",
        proxied: true,
      })),
      custom_hostnames: [{ hostname: THEIR_HOSTNAME, ssl: { method: "http", type: "dv" } }],
      rulesets: [{ phase: ENTRY_POINT, rules: [THEIR_RULE] }],
    },
  ],
};

/** The answer to a request that never arrived, or that nobody waits for. */
const CUT = { status: 0, headers: {}, body: "", delayMilliseconds: 0, connection: "destroyed" };

/**
 * Starts a service. After `onWrite(act)`, each write calls `act(number, carryOut)`, with numbers from 1. What it returns is the
 * answer; if it returns nothing, the request never arrived.
 */
export async function startService() {
  let service = createService({ seed: SEED, clock: "manual" });
  let act = carryOutAlways;
  let writes = 0;
  const handle = (request) => {
    const isWrite = request.method !== "GET" && request.path.startsWith("/client/");
    if (!isWrite) return service.handle(request);
    writes += 1;
    return act(writes, () => service.handle(request)) ?? CUT;
  };
  const listening = await listen({ host: "127.0.0.1", port: 0 }, handle, (mistake) => console.error(mistake));
  const ask = (path) => {
    const { status, body } = createAdmin(service).dashboard("GET", `/zones/${ZONE.id}/${path}`);
    return status < 300 ? JSON.parse(body).result : undefined;
  };
  return {
    env: { CLOUDFLARE_BASE_URL: `${listening.origin}/client/v4`, CLOUDFLARE_API_TOKEN: TOKEN },
    onWrite: (next) => {
      act = next;
      writes = 0;
    },
    offWrite: () => {
      act = carryOutAlways;
    },
    /** Everything that the service knows. `restore` goes back to it, at the same address. */
    snapshot: () => createAdmin(service).snapshot(),
    restore: (snapshot) => {
      // A copy, because the service changes the snapshot that it gets.
      service = createService({ snapshot: structuredClone(snapshot), clock: "manual" });
    },
    /** Advances the clock until everything that was ordered is active. */
    settle: () => service.core.clock.advance(SETTLED_MILLISECONDS),
    /** What is live, according to the service itself. */
    live: () => ({
      hostnames: ask("custom_hostnames?per_page=50"),
      packs: ask("ssl/certificate_packs?status=all&per_page=50").filter(
        ({ type, status }) => type === "advanced" && !GONE.includes(status),
      ),
      rules: ask(`rulesets/phases/${ENTRY_POINT}/entrypoint`)?.rules ?? [],
      fallback: ask("custom_hostnames/fallback_origin")?.origin,
    }),
    close: () => listening.close(),
  };
}

const carryOutAlways = (_number, carryOut) => carryOut();

const SETTLED_MILLISECONDS = 600_000;
/** The statuses of a pack that no longer counts as live. */
const GONE = ["deleted", "pending_deletion", "deactivating", "inactive"];
