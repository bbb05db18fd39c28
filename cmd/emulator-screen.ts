import type { Emulator } from "../lib/emulator.ts";
import { escape } from "../lib/report/escape/terminal.ts";
import { counted } from "../lib/report/lines/words.ts";

/** Where a running emulator got what it has. */
interface Origin {
  readonly seedFile: string | undefined;
  readonly persistFile: string | undefined;
  /** False for a seed without any: no call would be answered. */
  readonly hasTokens: boolean;
}

/** More zones than this are counted. */
const MOST_ZONES = 10;

/** What the emulator prints once it listens. Scripts read the first two lines. */
export function startScreen(emulator: Emulator, origin: Origin): string {
  const isDefault = origin.seedFile === undefined && !emulator.isRestored;
  return [
    `listening on ${emulator.url}`,
    `admin API on ${emulator.adminUrl}`,
    "",
    ...contents(emulator, origin),
    "",
    isDefault ? "Paste this into another terminal:" : "Paste this into another terminal, with one of its tokens:",
    `  export CLOUDFLARE_BASE_URL=${emulator.url}`,
    `  export CLOUDFLARE_API_TOKEN=${isDefault ? DEFAULT_TOKEN : tokenHint(origin)}`,
    "",
    "Check that it answers:",
    '  curl -s -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" "$CLOUDFLARE_BASE_URL/zones"',
    "Then plan a project that uses this zone; docs/emulator.md shows a small one:",
    "  zoneform plan",
    "",
    `Press Ctrl-C to stop. ${origin.persistFile === undefined ? "Everything is lost then; --persist FILE keeps it." : `Everything is kept in ${escape(origin.persistFile)}.`}`,
  ].join("\n");
}

/** Tokens are not printed: one of them may be real, so that a script need not change. */
function tokenHint({ seedFile }: Origin): string {
  return seedFile === undefined ? "..." : `...   # a token of ${escape(seedFile)}`;
}

/** The first token of the seed that the emulator takes when there is no other. */
const DEFAULT_TOKEN = "emulator-token";

function contents(emulator: Emulator, { seedFile, persistFile, hasTokens }: Origin): readonly string[] {
  const zones = emulator.admin.zones();
  const lines = zones.slice(0, MOST_ZONES).map(({ id, name, hostnames }) => {
    const size = hostnames === 0 ? "" : `, ${counted(hostnames, "custom hostname")}`;
    return `  zone   ${escape(name)}, id ${id}${size}`;
  });
  if (zones.length > MOST_ZONES) lines.push(`  and ${zones.length - MOST_ZONES} more zones`);
  if (!emulator.isRestored && !hasTokens)
    lines.push("  no tokens, so every call is refused: add tokens: [{ value: demo-token }]");
  if (emulator.isRestored) return [`Restored from ${escape(persistFile ?? "")}; the seed is not read:`, ...lines];
  if (seedFile !== undefined) return [`From ${escape(seedFile)}:`, ...lines];
  return [
    "Without --seed there is one zone and there are two API tokens:",
    ...lines,
    "  token  emulator-token, may do everything",
    "  token  emulator-read-token, may only read",
  ];
}
