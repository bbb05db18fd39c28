import type { Seed } from "./shape.ts";

/** What a service starts with when it gets no seed: a token for everything, a read-only token, and a zone. */
export function defaultSeed(): Seed {
  return {
    tokens: [
      { value: "emulator-token", permissions: "all" },
      { value: "emulator-read-token", permissions: "read" },
    ],
    zones: [
      {
        id: "023e105f4ecef8ad9ca31a8372d0c353",
        name: "saas.dev",
        plan: "enterprise",
        dns_records: [{ type: "A", name: "fallback.saas.dev", content: "192.0.2.10", proxied: true }],
      },
    ],
  };
}
