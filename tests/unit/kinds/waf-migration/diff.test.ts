import { expect, test } from "vitest";
import { compare } from "../../../../lib/kinds/waf-migration/diff.ts";

test.each([
  ["firewall_rules", "waf-firewall-rules"],
  ["expression_length", "waf-expression-length"],
  ["something_new", "waf-ineligible"],
])(
  "a zone that the service does not migrate because of %s is refused as %s, with the service's words",
  (reason, code) => {
    const live = {
      id: "z",
      key: "",
      values: { target: "start" },
      status: { is_compatible: false, reasons: [{ reason, message: "as the service says" }] },
    };
    const desired = { target: "validation" };
    const { objections } = compare({ desired, prior: undefined, live, options: {} });
    expect(objections).toMatchObject([{ code, message: "as the service says" }]);
  },
);
