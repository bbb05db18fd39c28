import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../lib/core/json.ts";
import { type HostnameTodo, todoOf } from "../../../../lib/engine/hostnames/todo.ts";
import { decodeDetails } from "../../../../lib/kinds/custom-hostname/details.ts";

const PENDING = {
  id: "0d89c70d-ad9f-4843-b99f-6cc0252067e9",
  hostname: "app.customer.net",
  status: "pending",
  ownership_verification: { type: "txt", name: "_cf-custom-hostname.app.customer.net", value: "token" },
  ownership_verification_http: { http_url: "http://app.customer.net/.well-known/x", http_body: "token" },
  ssl: {
    method: "txt",
    type: "dv",
    status: "pending_validation",
    certificate_authority: "google",
    validation_records: [{ status: "pending", txt_name: "_acme-challenge.app.customer.net", txt_value: "dcv" }],
  },
};

function left(record: JsonObject): HostnameTodo | undefined {
  return todoOf(decodeDetails(record), "fallback.saas.net");
}

function inWords(todo: HostnameTodo | undefined): readonly string[] {
  return (todo?.records ?? []).map((record) =>
    [record.purpose, record.need, record.type, record.name, record.value].join(" "),
  );
}

describe("what a customer still has to set", () => {
  it("is the CNAME, a proof of ownership instead, and what the CA wants to see", () => {
    expect(inWords(left(PENDING))).toEqual([
      "traffic required CNAME app.customer.net fallback.saas.net",
      "ownership alternative TXT _cf-custom-hostname.app.customer.net token",
      "ownership alternative HTTP http://app.customer.net/.well-known/x token",
      "certificate required TXT _acme-challenge.app.customer.net dcv",
    ]);
  });

  it("is nothing for an active hostname", () => {
    expect(left({ id: "1", hostname: "a.net", status: "active", ssl: { status: "active" } })).toBeUndefined();
  });

  it("is the CA's record alone once the hostname is verified", () => {
    const { ownership_verification: _dns, ownership_verification_http: _http, ...verified } = PENDING;
    expect(inWords(left({ ...verified, status: "active" }))).toEqual([
      "certificate required TXT _acme-challenge.app.customer.net dcv",
    ]);
  });

  it("is not the CNAME where CAA records block the CA of a hostname that was verified before", () => {
    const { ownership_verification: _dns, ownership_verification_http: _http, ...verified } = PENDING;
    const purposes = (record: JsonObject): readonly string[] =>
      left(record)?.records.map(({ purpose }) => purpose) ?? [];
    expect(purposes({ ...verified, status: "caa_error" })).not.toContain("traffic");
    expect(purposes({ ...PENDING, status: "caa_error" })).toContain("traffic");
  });

  it("has no validation record that the CA has seen", () => {
    const seen = [{ status: "active", txt_name: "_acme-challenge.app.customer.net", txt_value: "dcv" }];
    const todo = left({ ...PENDING, ssl: { ...PENDING.ssl, validation_records: seen } });
    expect(inWords(todo).filter((words) => words.startsWith("certificate"))).toEqual([]);
  });

  it("leaves the file to the service, which serves it once traffic comes", () => {
    const records = [{ status: "pending", http_url: "http://app.customer.net/y", http_body: "dcv" }];
    const todo = left({ ...PENDING, ssl: { ...PENDING.ssl, method: "http", validation_records: records } });
    expect(inWords(todo).at(-1)).toBe("certificate alternative HTTP http://app.customer.net/y dcv");
  });

  it("offers the delegation, which validates for good", () => {
    const delegation = [{ cname: "_acme-challenge.app.customer.net", cname_target: "app.customer.net.1.dcv.test" }];
    const todo = left({ ...PENDING, ssl: { ...PENDING.ssl, dcv_delegation_records: delegation } });
    expect(inWords(todo).at(-1)).toBe(
      "certificate alternative CNAME _acme-challenge.app.customer.net app.customer.net.1.dcv.test",
    );
  });

  it("has no token where the service serves the name already", () => {
    const said = [
      "The hostname cannot be activated with a TXT or HTTP token: its DNS target has to point at the zone.",
    ];
    const purposes = left({ ...PENDING, verification_errors: said })?.records.map(({ purpose }) => purpose);
    expect(purposes).not.toContain("ownership");
  });

  it("reads the old form, in which the record stands in ssl itself", () => {
    const { validation_records: _records, ...ssl } = PENDING.ssl;
    const todo = left({ ...PENDING, ssl: { ...ssl, txt_name: "_acme-challenge.app.customer.net", txt_value: "old" } });
    expect(inWords(todo).at(-1)).toBe("certificate required TXT _acme-challenge.app.customer.net old");
  });
});
