import { describe, expect, it } from "vitest";
import type { CaaRecord } from "../../../../lib/core/dns.ts";
import { caaFindings } from "../../../../lib/engine/checks/caa-findings.ts";
import { cnameFindings } from "../../../../lib/engine/checks/cname-findings.ts";
import type { Evidence, Pointing, RelevantCaa } from "../../../../lib/engine/checks/evidence.ts";
import { uncheckedFindings } from "../../../../lib/engine/checks/check-dns.ts";

const DESTINATION = { zone: "saas.net", target: "fallback.saas.net" };
const LETS_ENCRYPT: CaaRecord = { flags: 0, tag: "issue", value: "letsencrypt.org" };

function evidence(hostname: string, found: { pointing?: Pointing; caa?: RelevantCaa; choice?: string } = {}): Evidence {
  const { pointing = { status: "reaches" }, caa = { status: "none" }, choice = "google" } = found;
  return { checked: { hostname, address: `custom_hostname["${hostname}"]`, choice, covers: ["name"] }, pointing, caa };
}

function blockedAt(at: string, hostname: string, choice = "google", settableAt = at): Evidence {
  return evidence(hostname, { choice, caa: { status: "found", at, settableAt, records: [LETS_ENCRYPT] } });
}

describe("findings about CAA", () => {
  it("give both records to set, flag 0, and spare the CA whose wildcards the first issuewild would end", () => {
    expect(caaFindings([blockedAt("customer.net", "app.customer.net")])).toEqual([
      {
        severity: "warning",
        code: "caa-blocks-ca",
        message: 'CAA records of customer.net (0 issue "letsencrypt.org") block google for app.customer.net',
        remedy:
          'add beside them: customer.net. CAA 0 issue "pki.goog" and customer.net. CAA 0 issuewild "pki.goog" (the first issuewild there: letsencrypt.org then needs one as well to issue for wildcards)',
        address: 'custom_hostname["app.customer.net"]',
      },
    ]);
  });

  it("name the customer's own domain where the records stand at a public suffix", () => {
    const [found] = caaFindings([blockedAt("co.uk", "app.shop.co.uk", "google", "shop.co.uk")]);
    expect(found?.message).toContain("CAA records of co.uk");
    expect(found?.remedy).toContain('shop.co.uk. CAA 0 issue "pki.goog"');
    expect(found?.remedy).not.toMatch(/(^|\s)co\.uk\. CAA/);
  });

  it("are one for all hostnames that the same records block", () => {
    const found = caaFindings(["a", "b", "c"].map((label) => blockedAt("customer.net", `${label}.customer.net`)));
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain("for a.customer.net, b.customer.net, c.customer.net");
    expect(found[0]?.address).toBeUndefined();
  });

  it("are apart for each choice of CA", () => {
    const found = caaFindings([
      blockedAt("customer.net", "a.customer.net"),
      blockedAt("customer.net", "b.customer.net", "digicert"),
    ]);
    expect(found.map(({ remedy }) => /issue "([^"]+)"/.exec(remedy ?? "")?.[1])).toEqual(["pki.goog", "digicert.com"]);
  });

  it("cut what a record holds, because a customer wrote it", () => {
    const long: CaaRecord = { flags: 0, tag: "issue", value: "x".repeat(5000) };
    const many = Array.from({ length: 50 }, () => long);
    const [found] = caaFindings([
      evidence("a.net", { caa: { status: "found", at: "a.net", settableAt: "a.net", records: many } }),
    ]);
    expect(found?.message.length).toBeLessThan(700);
    expect(found?.message).toContain("and 45 more");
  });
});

describe("findings about 10,000 hostnames", () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `app.customer-${index}.net`);

  it("are a sum and a hundred records to set, of each sort", () => {
    const stray: Pointing = { status: "elsewhere", found: "nothing" };
    const found = cnameFindings(
      names.map((name) => evidence(name, { pointing: stray })),
      DESTINATION,
    );
    expect(found).toHaveLength(101);
    expect(found[0]?.message).toBe("no CNAME leads from 10,000 custom hostnames to saas.net");
    expect(found[100]?.remedy).toBe("ask the customer to set: app.customer-99.net. CNAME fallback.saas.net.");
    const blocked = caaFindings(names.map((name) => blockedAt(name, name)));
    expect(blocked).toHaveLength(101);
    expect(blocked[0]?.message).toContain("10,000 names block the chosen CA for 10,000 custom hostnames");
  });

  it("are one for each reason why they could not be checked", () => {
    const silent = names.map((name): Evidence => {
      return evidence(name, { pointing: { status: "unchecked", name, fault: "timed-out" } });
    });
    const failing = evidence("app.dead.net", {
      caa: { status: "unchecked", name: "dead.net", fault: "server-failed" },
    });
    const found = uncheckedFindings([...silent, failing]);
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      [
        "dns-unchecked",
        "10,000 custom hostnames could not be checked: no DNS server answered in time for app.customer-0.net, app.customer-1.net, app.customer-2.net, app.customer-3.net, app.customer-4.net and 9,995 more",
      ],
      ["dns-unchecked", "1 custom hostname could not be checked: the DNS server failed (SERVFAIL) on dead.net"],
    ]);
  });
});

describe("findings about CNAME", () => {
  it("say where each hostname leads instead, with the record to set", () => {
    const found = cnameFindings(
      [
        evidence("a.net", { pointing: { status: "elsewhere", found: "alias", alias: "pages.other.net" } }),
        evidence("b.net", { pointing: { status: "elsewhere", found: "addresses" } }),
        evidence("c.net", { pointing: { status: "elsewhere", found: "nothing" } }),
        evidence("d.net"),
      ],
      DESTINATION,
    );
    expect(found.map(({ message, remedy }) => `${message}; ${remedy ?? ""}`)).toEqual([
      "no CNAME leads to saas.net: it is an alias of pages.other.net; ask the customer to set: a.net. CNAME fallback.saas.net.",
      "no CNAME leads to saas.net: it has addresses of its own; ask the customer to set: b.net. CNAME fallback.saas.net.",
      "no CNAME leads to saas.net: it has no record; ask the customer to set: c.net. CNAME fallback.saas.net.",
    ]);
  });

  it("name the zone where no fallback origin is known to point at", () => {
    const pointing: Pointing = { status: "elsewhere", found: "nothing" };
    const [found] = cnameFindings([evidence("a.net", { pointing })], { zone: "saas.net", target: undefined });
    expect(found?.remedy).toBe("point it to a name of saas.net");
  });
});
