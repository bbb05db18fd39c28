import { describe, expect, it } from "vitest";
import type { Dns, DnsAnswer } from "../../../../lib/core/dns.ts";
import { openLookUps } from "../../../../lib/engine/checks/check-dns.ts";

const SILENT: DnsAnswer<never> = { status: "failed", fault: "timed-out" };

function dnsThatGives(
  answer: DnsAnswer<never>,
  answerOf: (name: string) => DnsAnswer<never> = () => answer,
): { dns: Dns; asked: string[] } {
  const asked: string[] = [];
  const ask = (name: string): Promise<DnsAnswer<never>> => {
    asked.push(name);
    return Promise.resolve(answerOf(name));
  };
  return { dns: { resolveCname: ask, resolveCaa: ask, resolveAddresses: ask }, asked };
}

describe("look-ups", () => {
  it("ask once for each name and type, also while the answer is on its way", async () => {
    const { dns, asked } = dnsThatGives({ status: "no-answer" });
    const lookUps = openLookUps(dns);
    await Promise.all([lookUps.resolveCaa("net"), lookUps.resolveCaa("net"), lookUps.resolveCname("net")]);
    await lookUps.resolveCaa("net");
    expect(asked).toEqual(["net", "net"]);
  });

  it("give up after 200 questions without an answer, and say that they did not ask", async () => {
    const { dns, asked } = dnsThatGives(SILENT);
    const lookUps = openLookUps(dns);
    for (let index = 0; index < 200; index += 1) await lookUps.resolveCaa(`customer-${index}.net`);
    expect(await lookUps.resolveCname("one-more.net")).toEqual({ status: "failed", fault: "not-asked" });
    expect(asked).toHaveLength(200);
  });

  it("do not give up because one customer in thirty has name servers that are gone", async () => {
    const none: DnsAnswer<never> = { status: "no-answer" };
    const { dns, asked } = dnsThatGives(none, (name) => (/[037]0\.net$/.test(name) ? SILENT : none));
    const lookUps = openLookUps(dns);
    for (let index = 0; index < 20_000; index += 1) await lookUps.resolveCaa(`customer-${index}.net`);
    expect(asked).toHaveLength(20_000);
  });

  it("never give up because of answers that are failures", async () => {
    const { dns, asked } = dnsThatGives({ status: "failed", fault: "server-failed" });
    const lookUps = openLookUps(dns);
    for (let index = 0; index < 1000; index += 1) await lookUps.resolveCaa(`customer-${index}.net`);
    expect(asked).toHaveLength(1000);
  });
});
