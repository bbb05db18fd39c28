import { expect, test } from "vitest";
import { defined } from "../../../lib/core/json.ts";

test("undefined values have no key, and everything else stays as it is, in its order", () => {
  const from: { readonly a?: number | undefined; readonly b: string; readonly c: boolean; readonly d: null } = {
    a: undefined,
    b: "",
    c: false,
    d: null,
  };
  expect(Object.entries(defined(from))).toEqual([
    ["b", ""],
    ["c", false],
    ["d", null],
  ]);
});

test("the type says what may be missing", () => {
  const there: { readonly zone?: string; readonly key: string } = defined({ zone: undefined, key: "a" });
  expect(there).toStrictEqual({ key: "a" });
});
