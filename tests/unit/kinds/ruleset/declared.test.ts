import { describe, expect, test } from "vitest";
import type { Diagnostic, Result } from "../../../../lib/core/diagnostic.ts";
import { isObject, valueAt } from "../../../../lib/core/json.ts";
import { faults, loadZone, sound } from "../../config/project.ts";

/** Loads a zone with rules in one phase; the first rule begins in line 6. */
function loadRules(phase: string, rules: string): ReturnType<typeof loadZone> {
  return loadZone(`entry_points:\n  ${phase}:\n    rules:\n${rules}`);
}

/** What a load says: `severity code line:column message; remedy`. Each has a place in the file. */
function said(result: Result<unknown>): readonly string[] {
  const all: readonly Diagnostic[] = result.ok ? result.warnings : result.diagnostics;
  return all.map(({ severity, code, at, message, remedy }) => {
    return `${severity} ${code} ${at?.line}:${at?.column} ${message}; ${remedy}`;
  });
}

describe("an unknown parameter", () => {
  test("that resembles a known one is an error, at every depth", async () => {
    const rules = `      - ref: a
        action: set_cache_settings
        expression: "true"
        action_parameters:
          edge_tll: { mode: respect_origin }
          browser_ttl: { mod: bypass }
`;
    expect(faults(await loadRules("http_request_cache_settings", rules)).map(({ code }) => code)).not.toEqual([]);
    expect(said(await loadRules("http_request_cache_settings", rules))).toEqual(
      expect.arrayContaining([
        'error unknown-key 10:11 unknown key "edge_tll" in action_parameters; did you mean edge_ttl?',
        'error unknown-key 11:26 unknown key "mod" in browser_ttl; did you mean mode?',
      ]),
    );
  });

  test("that resembles none is a warning and is sent, at every depth", async () => {
    const rules = `      - ref: a
        action: set_cache_settings
        expression: "true"
        action_parameters:
          prefetch_hints: { host: a }
          edge_ttl: { mode: respect_origin, jitter_percent: 5 }
`;
    const loaded = await loadRules("http_request_cache_settings", rules);
    expect(said(loaded)).toEqual([
      expect.stringMatching(
        /^warning unknown-parameter 10:11 unknown key "prefetch_hints" in action_parameters; check/,
      ),
      expect.stringMatching(/^warning unknown-parameter 11:45 unknown key "jitter_percent" in edge_ttl; check/),
    ]);
    const [entryPoint] = sound(loaded).desired.zones[0]?.objects ?? [];
    const [rule] = [valueAt(entryPoint?.values ?? {}, ["rules"])].flat();
    expect(isObject(rule) && rule["action_parameters"]).toEqual({
      prefetch_hints: { host: "a" },
      edge_ttl: { mode: "respect_origin", jitter_percent: 5 },
    });
  });

  test("is no credential, whatever its name is", async () => {
    const rules = `      - ref: a
        action: route
        expression: "true"
        action_parameters: { auth_token: x, origin: { host: a.example, api_key: x } }
`;
    expect(said(await loadRules("http_request_origin", rules)).map((line) => line.split(" ")[1])).toEqual([
      "unknown-parameter",
      "unknown-parameter",
    ]);
  });
});
