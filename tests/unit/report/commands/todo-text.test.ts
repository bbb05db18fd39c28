import { expect, test } from "vitest";
import { todoReport } from "../../../../lib/report/commands/hostnames.ts";
import { reportText } from "../../../../lib/report/printers/text.ts";

test("a CAA record that keeps the CA from issuing comes first, and a file stands in for no record that is not there", () => {
  const records = [
    { type: "CAA", name: "two.co.uk", value: '0 issue "pki.goog"', purpose: "certificate", need: "required" },
    {
      type: "HTTP",
      name: "http://shop.two.co.uk/.well-known/x",
      value: "token",
      purpose: "certificate",
      need: "alternative",
    },
  ] as const;
  const hostnames = [{ hostname: "shop.two.co.uk", status: "active", sslStatus: "caa_error", records, said: [] }];
  const report = todoReport([{ zone: { id: "1".repeat(32), name: "saas.dev" }, hostnames }]);
  expect(reportText(report, { colour: false })).toBe(
    `1 hostname needs records from the customer.

shop.two.co.uk (saas.dev)
  set:
    CAA    two.co.uk
           0 issue "pki.goog"
  to get the certificate before the traffic moves, set one of:
    HTTP   http://shop.two.co.uk/.well-known/x
           token
`,
  );
});
