import { describe, expect, test } from "vitest";
import { startDnsServer } from "../support/dns-server.ts";
import { freshWorld } from "../support/project.ts";

const ONE = ["--zone", "saas.dev", "--target", 'custom_hostname["store.juniper-and-sons.com"]'];

describe("plan --check-dns", () => {
  test("adds to the plan what DNS would prevent, with the records to set, and changes nothing", async () => {
    const world = await freshWorld();
    const server = await startDnsServer({ "juniper-and-sons.com": { caa: ['0 issue "digicert.com"'] } });
    const plain = await world.zoneform("plan", ...ONE);
    const { code, stdout, stderr } = await world.zoneform("plan", ...ONE, "--check-dns", "--resolver", server.address);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const unbroken = stdout.replaceAll(/\n +/g, " ");
    expect(unbroken).toContain("no CNAME leads to saas.dev: it has no record [no-cname]");
    expect(unbroken).toContain("ask the customer to set: store.juniper-and-sons.com. CNAME fallback.saas.dev.");
    expect(unbroken).toContain(
      'CAA records of juniper-and-sons.com (0 issue "digicert.com") block google and lets_encrypt',
    );
    expect(unbroken).toContain('juniper-and-sons.com. CAA 0 issue "pki.goog"');
    expect(/--expect (\S+)/.exec(stdout)?.[1]).toBe(/--expect (\S+)/.exec(plain.stdout)?.[1] ?? "a hash");
    expect(world.writes()).toEqual({});
  });

  test("is implied by --resolver, and checks every hostname when asked for all", async () => {
    const world = await freshWorld();
    const server = await startDnsServer({});
    const args = ["plan", "--zone", "saas-app.dev", "--json", "--resolver", server.address];
    const changed: unknown = JSON.parse((await world.zoneform(...args)).stdout);
    const all: unknown = JSON.parse((await world.zoneform(...args, "--check-dns=all")).stdout);
    expect(changed).toMatchObject({ zones: [{ findings: [] }] });
    expect(all).toMatchObject({ zones: [{ findings: [{ code: "no-cname" }, { code: "no-cname" }] }] });
  });

  test("reports an invalid resolver before it calls the service", async () => {
    const world = await freshWorld();
    const { code, stderr } = await world.zoneform("plan", "--check-dns", "--resolver", "localhost:5353");
    expect(code).toBe(1);
    expect(stderr).toContain('--resolver "localhost:5353" is no address of a DNS server [not-a-resolver]');
    expect(world.emulator.requests.total()).toBe(0);
  });

  test("accepts no word but changed and all", async () => {
    const world = await freshWorld();
    const { code, stderr } = await world.zoneform("plan", "--check-dns=some");
    expect(code).toBe(1);
    expect(stderr).toContain("Allowed choices are changed, all");
  });
});
