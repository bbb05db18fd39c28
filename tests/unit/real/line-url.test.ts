import { expect, test } from "vitest";
import { lineUrlOf } from "../../../lib/real/world.ts";

const GITHUB = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/edge", GITHUB_SHA: "abc123" };
const GITLAB = { CI_PROJECT_URL: "https://gitlab.example/acme/edge", CI_COMMIT_SHA: "def456" };

test("a line of a file has the address of the commit that the job checked out", () => {
  expect(lineUrlOf(GITHUB, "zones/saas.yaml", 38)).toBe("https://github.com/acme/edge/blob/abc123/zones/saas.yaml#L38");
  expect(lineUrlOf(GITLAB, "zones/saas.yaml", 38)).toBe(
    "https://gitlab.example/acme/edge/-/blob/def456/zones/saas.yaml#L38",
  );
});

test("outside of a job it has none", () => {
  expect(lineUrlOf({}, "zones/saas.yaml", 38)).toBeUndefined();
});

test("a name cannot lead elsewhere", () => {
  expect(lineUrlOf(GITHUB, 'a b/?x#"<y>', 1)).toBe(
    "https://github.com/acme/edge/blob/abc123/a%20b/%3Fx%23%22%3Cy%3E#L1",
  );
});
