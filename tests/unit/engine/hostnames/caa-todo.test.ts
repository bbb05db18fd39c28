import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CaaRecord, Dns } from "../../../../lib/core/dns.ts";
import { caaTodo, todosOf } from "../../../../lib/engine/hostnames/todo.ts";
import { type Coverage, verdictOn } from "../../../../lib/engine/checks/caa.ts";
import { relevantCaa } from "../../../../lib/engine/checks/evidence.ts";
import { decodeDetails, type HostnameDetails } from "../../../../lib/kinds/custom-hostname/details.ts";

/** What DNS has at a name: an alias, or CAA records, which may be none. */
type Names = Readonly<Record<string, string | readonly CaaRecord[]>>;

function dnsOf(names: Names): Dns {
  const at = (name: string): Names[string] | undefined => {
    const found = names[name];
    return typeof found === "string" ? at(found) : found;
  };
  return {
    resolveCname: async (name) => {
      const found = names[name];
      if (typeof found === "string") return { status: "found", records: [found] };
      return { status: found === undefined ? "not-found" : "no-answer" };
    },
    resolveCaa: async (name) => {
      const found = at(name);
      if (typeof found !== "object") return { status: found === undefined ? "not-found" : "no-answer" };
      return found.length === 0 ? { status: "no-answer" } : { status: "found", records: found };
    },
    resolveAddresses: async () => ({ status: "no-answer" }),
  };
}

const SILENT: Dns = {
  resolveCname: async () => ({ status: "failed", fault: "timed-out" }),
  resolveCaa: async () => ({ status: "failed", fault: "timed-out" }),
  resolveAddresses: async () => ({ status: "failed", fault: "timed-out" }),
};

/** A record such as `0 issue ;`. */
function caa(text: string): CaaRecord {
  const [flags = "", tag = "", ...value] = text.split(" ");
  return { flags: Number(flags), tag, value: value.join(" ") };
}

function blocked(hostname: string, { wildcard = false, authority = "google" } = {}): HostnameDetails {
  return decodeDetails({
    id: "0d89c70d-ad9f-4843-b99f-6cc0252067e9",
    hostname,
    status: "active",
    ssl: {
      method: "txt",
      type: "dv",
      status: "pending_issuance",
      wildcard,
      certificate_authority: authority,
      validation_errors: [{ message: `caa_error: ${hostname}` }],
    },
  });
}

async function said(names: Names, details: HostnameDetails, choice?: string): Promise<readonly string[]> {
  const { records, doubt } = await caaTodo(dnsOf(names), details, choice);
  return [...records.map(({ need, name, value }) => `${need} ${name} ${value}`), ...(doubt ? [doubt] : [])];
}

const OTHER = [caa("0 issue letsencrypt.org")];

describe("the CAA record to set", () => {
  it("stands where the records that block stand, and not at a public suffix above", async () => {
    expect(await said({ "shop.co.uk": OTHER }, blocked("shop.co.uk"))).toEqual([
      'required shop.co.uk 0 issue "pki.goog"',
    ]);
  });

  it("stands at the nearest name that has any, however many labels there are", async () => {
    const names = { "customer.com.au": OTHER, "eu.customer.com.au": OTHER, "com.au": OTHER };
    expect(await said(names, blocked("app.eu.customer.com.au"))).toEqual([
      'required eu.customer.com.au 0 issue "pki.goog"',
    ]);
  });

  it("stands at the customer's own domain where a public suffix blocks", async () => {
    expect(await said({ "co.uk": OTHER }, blocked("app.shop.co.uk"))).toEqual([
      'required shop.co.uk 0 issue "pki.goog"',
    ]);
  });

  it("stands at the end of the alias where the records do", async () => {
    const names = { "app.customer.net": "edge.saas.dev", "edge.saas.dev": OTHER, "customer.net": OTHER };
    expect(await said(names, blocked("app.customer.net"))).toEqual(['required edge.saas.dev 0 issue "pki.goog"']);
  });

  it("follows the alias of a name above the hostname", async () => {
    const names = { "customer.net": "caa.example-dns.org", "caa.example-dns.org": OTHER };
    expect(await said(names, blocked("app.customer.net"))).toEqual(['required caa.example-dns.org 0 issue "pki.goog"']);
  });

  it("is an issuewild where that decides, for a wildcard", async () => {
    const wild = [caa("0 issue pki.goog"), caa("0 issuewild letsencrypt.org")];
    expect(await said({ "customer.net": wild }, blocked("*.customer.net"))).toEqual([
      'required customer.net 0 issuewild "pki.goog"',
    ]);
    expect(await said({ "customer.net": wild }, blocked("app.customer.net", { wildcard: true }))).toEqual([
      'required customer.net 0 issuewild "pki.goog"',
    ]);
  });

  it("is an issue for a wildcard where no issuewild stands", async () => {
    expect(await said({ "customer.net": OTHER }, blocked("*.customer.net"))).toEqual([
      'required customer.net 0 issue "pki.goog"',
    ]);
  });

  it("is both where both block", async () => {
    const none = [caa("0 issue ;"), caa("0 issuewild ;")];
    expect(await said({ "customer.net": none }, blocked("app.customer.net", { wildcard: true }))).toEqual([
      'required customer.net 0 issue "pki.goog"',
      'required customer.net 0 issuewild "pki.goog"',
    ]);
  });

  it("is that of the chosen CA, and of either CA where the service chooses", async () => {
    const names = { "customer.net": [caa("0 issue digicert.com")] };
    expect(await said(names, blocked("app.customer.net"), "ssl_com")).toEqual([
      'required customer.net 0 issue "ssl.com"',
    ]);
    expect(await said(names, blocked("app.customer.net"), "default")).toEqual([
      'required customer.net 0 issue "pki.goog"',
      'alternative customer.net 0 issue "letsencrypt.org"',
    ]);
  });

  it("is one to remove where a critical property keeps every CA from issuing", async () => {
    const names = { "customer.net": [caa("128 tbs Unknown"), caa("0 issue pki.goog")] };
    expect(await said(names, blocked("app.customer.net"))).toEqual(['remove customer.net 128 tbs "Unknown"']);
  });

  it("is none where DNS shows by now that the CA may issue", async () => {
    expect(await said({ "customer.net": [caa("0 issue pki.goog")] }, blocked("app.customer.net"))).toEqual(["allowed"]);
    expect(await said({ "customer.net": [] }, blocked("app.customer.net"))).toEqual(["allowed"]);
  });

  it.each([
    ["app.shop.co.uk", "shop.co.uk"],
    ["shop.co.uk", "shop.co.uk"],
    ["app.eu.customer.net", "eu.customer.net"],
  ])("stands above %s where DNS shows nothing, but never above its owner's domain", async (hostname, name) => {
    for (const dns of [dnsOf({}), SILENT]) {
      const { records, doubt } = await caaTodo(dns, blocked(hostname), undefined);
      expect(records.map((record) => record.name)).toEqual([name]);
      expect(doubt).toBe("unseen");
    }
  });

  it("is looked for only where the service says that CAA blocks", async () => {
    let questions = 0;
    const counting: Dns = {
      ...SILENT,
      resolveCaa: (name) => {
        questions += 1;
        return SILENT.resolveCaa(name);
      },
    };
    const active = decodeDetails({ id: "1", hostname: "a.net", status: "active", ssl: { status: "active" } });
    const records = async function* () {
      yield active;
    };
    const { todos } = await todosOf(records(), { target: "t.saas.dev", dns: counting, chosenFor: () => undefined });
    expect({ todos, questions }).toEqual({ todos: [], questions: 0 });
  });
});

const runs = process.env["ZONEFORM_FULL"] ? 10_000 : 200;

/** Sets of CAA records at some of the names from the hostname up, and aliases of some. */
const arbitrarySet = fc.array(
  fc.constantFrom(
    "0 issue pki.goog",
    "0 issue letsencrypt.org",
    "0 issue ;",
    "0 issuewild ;",
    "0 issuewild digicert.com",
    "0 issue pki.goog; accounturi=x",
    "128 tbs x",
    "0 iodef mailto:a@b.c",
    "128 issue ssl.com",
  ),
  { maxLength: 4 },
);
const NAMES = ["app.shop.co.uk", "shop.co.uk", "co.uk", "uk"] as const;

describe("whoever sets what is named", () => {
  it("lets the CA issue, at a name of their own", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...NAMES.map(() => fc.option(arbitrarySet))),
        fc.option(arbitrarySet),
        fc.constantFrom("google", "lets_encrypt", "ssl_com", "default"),
        fc.constantFrom("app.shop.co.uk", "*.shop.co.uk", "shop.co.uk"),
        fc.boolean(),
        async (sets, atAlias, choice, hostname, wildcard) => {
          const names: Record<string, string | readonly CaaRecord[]> = {};
          for (const [index, name] of NAMES.entries()) names[name] = (sets[index] ?? []).map(caa);
          if (atAlias !== null && hostname === "app.shop.co.uk") {
            names[hostname] = "edge.saas.dev";
            names["edge.saas.dev"] = atAlias.map(caa);
          }
          const covers: readonly Coverage[] = hostname.startsWith("*.")
            ? ["wildcard"]
            : wildcard
              ? ["name", "wildcard"]
              : ["name"];
          const verdict = async (): Promise<string> => {
            const found = await relevantCaa(dnsOf(names), hostname);
            return found.status === "found" ? verdictOn(choice, found.records, covers) : "allowed";
          };
          const { records } = await caaTodo(dnsOf(names), blocked(hostname, { wildcard }), choice);
          if ((await verdict()) === "allowed") {
            expect(records).toEqual([]);
            return;
          }
          for (const { need, name, value } of records) {
            expect(["app.shop.co.uk", "shop.co.uk", "edge.saas.dev"]).toContain(name);
            const set = names[name];
            if (typeof set !== "object") throw new Error(`${name} has no place for a record`);
            const record = caa(value.replaceAll('"', ""));
            if (need === "required") names[name] = [...set, record];
            if (need === "remove") names[name] = set.filter(({ tag }) => tag !== record.tag);
          }
          expect(await verdict()).toBe("allowed");
        },
      ),
      { numRuns: runs },
    );
  });
});
