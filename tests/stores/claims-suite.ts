import { describe, expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import type { Claimable, Claims, WantedClaims } from "../../lib/state/zone/claims.ts";
import { LEASED, ZONE } from "../support/state-world.ts";

/** Claims under test. */
export interface ClaimsUnderTest {
  readonly claims: Claims;
  /** Another handle on the same claims, like another process. */
  readonly other: Claims;
  /** Moves the clock that dates the claims. */
  readonly pass: (milliseconds: number) => void | Promise<void>;
  /** Another process is in the middle of a change, and stays there. Absent if nobody waits for such a process. */
  readonly block?: () => Promise<void>;
}

const OTHER_ZONE = zoneId("9a7806061c88ada191ed06f989cc3dac");
const HOSTNAMES: Claimable = { kind: "custom_hostname" };
const TLS: Claimable = { kind: "zone_setting", key: "min_tls_version" };

function wanted(project: string, things: readonly Claimable[], zone = ZONE): WantedClaims {
  return { project, zone, things };
}

function rules(...prefixes: readonly string[]): Claimable {
  return { kind: "ruleset", key: "http_request_firewall_custom", prefixes };
}

function ruleOf(ref: string): Claimable {
  return { ...rules(), refs: [ref] };
}

/** What the claims of every store promise. Runs for each of them. */
export function describeClaims(name: string, make: () => Promise<ClaimsUnderTest>): void {
  describe(`${name}: claims`, () => {
    test("there are none before the first apply, and releasing none is no error", async () => {
      const { claims } = await make();
      await claims.release("edge", ZONE, LEASED);
      expect(await claims.list()).toEqual([]);
    });

    test("what a project took is listed for every process, with its date", async () => {
      const { claims, other } = await make();
      expect(await claims.take(wanted("edge", [HOSTNAMES, TLS, rules("edge-", "team-")]), LEASED)).toEqual([]);
      const listed = await other.list();
      expect(listed.map(({ since: _since, ...claim }) => claim)).toEqual([
        { project: "edge", zone: ZONE, ...HOSTNAMES },
        { project: "edge", zone: ZONE, ...TLS },
        { project: "edge", zone: ZONE, ...rules("edge-", "team-") },
      ]);
      for (const { since } of listed) expect(new Date(since).toISOString()).toBe(since);
    });

    test("a project does not get what another one has, learns which project has it, and gets nothing else either", async () => {
      const { claims, other } = await make();
      await claims.take(wanted("edge", [HOSTNAMES]), LEASED);
      const before = await claims.list();
      expect(await other.take(wanted("shop", [TLS, HOSTNAMES]), LEASED)).toEqual(before);
      expect(await claims.list()).toEqual(before);
    });

    test.each<[string, Claimable, Claimable, boolean]>([
      ["another kind", HOSTNAMES, TLS, false],
      ["another setting", TLS, { kind: "zone_setting", key: "ssl" }, false],
      ["the same setting", TLS, TLS, true],
      ["all of a kind, and one of it", { kind: "zone_setting" }, TLS, true],
      ["rules with other prefixes", rules("edge-"), rules("shop-"), false],
      ["rules with the same prefix", rules("edge-", "a-"), rules("b-", "edge-"), true],
      ["rules with a prefix within the other", rules("edge-"), rules("edge-waf-"), true],
      ["rules with a prefix around the other", rules("edge-waf-"), rules("edge-"), true],
      ["rules of which one has a ref that begins with the other", ruleOf("block"), ruleOf("block-2"), false],
      ["the same rule", ruleOf("block"), ruleOf("block"), true],
      ["rules with a prefix, and one that begins so", rules("edge-"), ruleOf("edge-2"), true],
      ["one rule, and rules whose prefix begins with its ref", ruleOf("edge"), rules("edge-"), false],
      [
        "a whole entry point, and rules of it",
        { kind: "ruleset", key: "http_request_firewall_custom" },
        rules("edge-"),
        true,
      ],
      [
        "rules of another phase",
        rules("edge-"),
        { kind: "ruleset", key: "http_request_firewall_managed", prefixes: ["edge-"] },
        false,
      ],
    ])("two projects that want %s: %j and %j", async (_words, first, second, isRefused) => {
      const { claims } = await make();
      await claims.take(wanted("edge", [first]), LEASED);
      expect((await claims.take(wanted("shop", [second]), LEASED)).length).toBe(isRefused ? 1 : 0);
    });

    test("a project that claims another single rule has its claim replaced", async () => {
      const { claims } = await make();
      await claims.take(wanted("edge", [ruleOf("block")]), LEASED);
      await claims.take(wanted("edge", [ruleOf("block-2")]), LEASED);
      expect(await claims.list()).toMatchObject([ruleOf("block-2")]);
    });

    test("claims in another zone do not conflict", async () => {
      const { claims } = await make();
      await claims.take(wanted("edge", [HOSTNAMES]), LEASED);
      expect(await claims.take(wanted("shop", [HOSTNAMES], OTHER_ZONE), LEASED)).toEqual([]);
      expect(await claims.list()).toHaveLength(2);
    });

    test("taking again replaces what the project had, and keeps the date of what stays", async () => {
      const { claims, pass } = await make();
      await claims.take(wanted("edge", [HOSTNAMES, TLS]), LEASED);
      const [first] = await claims.list();
      await pass(60_000);
      await claims.take(wanted("edge", [rules("edge-"), HOSTNAMES]), LEASED);
      const now = await claims.list();
      expect(now.map(({ kind }) => kind)).toEqual(["ruleset", "custom_hostname"]);
      expect(now[1]).toEqual(first);
      expect(now[0]?.since).not.toBe(first?.since);
      expect(await claims.take(wanted("shop", [TLS]), LEASED)).toEqual([]);
    });

    test("releasing frees one zone of a project, and nothing of other projects; doing it twice is doing it once", async () => {
      const { claims, other } = await make();
      await claims.take(wanted("edge", [HOSTNAMES]), LEASED);
      await claims.take(wanted("edge", [HOSTNAMES], OTHER_ZONE), LEASED);
      await claims.take(wanted("shop", [TLS]), LEASED);
      await other.release("edge", ZONE, LEASED);
      await other.release("edge", ZONE, LEASED);
      expect((await claims.list()).map(({ project, zone }) => [project, zone])).toEqual([
        ["edge", OTHER_ZONE],
        ["shop", ZONE],
      ]);
      expect(await claims.take(wanted("shop", [TLS, HOSTNAMES]), LEASED)).toEqual([]);
    });

    test("of several projects that want the same at once, exactly one gets it", async () => {
      const { claims, other } = await make();
      const names = Array.from({ length: 8 }, (_none, index) => `project-${index}`);
      const answers = await Promise.all(
        names.map((project, index) => (index % 2 === 0 ? claims : other).take(wanted(project, [HOSTNAMES]), LEASED)),
      );
      expect(answers.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
      expect(await claims.list()).toHaveLength(1);
    });

    test("an interrupted command does not wait for a process that is stuck in a change", async ({ skip }) => {
      const { claims, block } = await make();
      if (!block) {
        skip("nobody waits for such a process");
        return;
      }
      await claims.take(wanted("edge", [TLS]), LEASED);
      await block();
      const stopped = claims.take(wanted("edge", [HOSTNAMES]), LEASED, AbortSignal.timeout(300));
      await expect(stopped).rejects.toMatchObject({ name: "TimeoutError" });
      expect((await claims.list()).map(({ kind }) => kind)).toEqual([TLS.kind]);
    });

    test("projects that want different things at once all get them", async () => {
      const { claims, other } = await make();
      const names = Array.from({ length: 8 }, (_none, index) => `project-${index}`);
      const answers = await Promise.all(
        names.map((project, index) =>
          (index % 2 === 0 ? claims : other).take(wanted(project, [rules(`${project}-`)]), LEASED),
        ),
      );
      expect(answers.flat()).toEqual([]);
      expect((await claims.list()).map(({ project }) => project).sort()).toEqual(names);
    });
  });
}
