import { describe, expect, test } from "vitest";
import { StateError } from "../../../../../lib/state/error.ts";
import { parseAddress } from "../../../../../lib/state/engines/s3/address.ts";

describe("an address of a bucket", () => {
  test.each([
    ["s3://states", { bucket: "states", prefix: "" }],
    ["S3://states/", { bucket: "states", prefix: "" }],
    ["s3://states/team/edge/", { bucket: "states", prefix: "team/edge/" }],
    [
      "s3://states/edge?region=eu-central-1&endpoint=https%3A%2F%2Fs3.internal%3A7070&path_style=false",
      {
        bucket: "states",
        prefix: "edge/",
        region: "eu-central-1",
        endpoint: "https://s3.internal:7070",
        isPathStyle: false,
      },
    ],
  ])("%s names its parts", (address, parts) => {
    expect(parseAddress(address)).toMatchObject(parts);
  });

  test("without a bucket and a prefix takes those of the project", () => {
    const wanted = { bucket: "states", key: "edge" };
    expect(parseAddress("s3://", wanted)).toMatchObject({ bucket: "states", prefix: "edge/" });
    expect(parseAddress("s3://states/edge", wanted)).toMatchObject({ bucket: "states", prefix: "edge/" });
    expect(parseAddress("s3://?region=eu-central-1", wanted)).toMatchObject({ bucket: "states", prefix: "edge/" });
    expect(parseAddress("s3://", { bucket: "states" })).toMatchObject({ bucket: "states", prefix: "" });
  });

  test.each([
    ["s3://other/edge", { bucket: "states", key: "edge" }, 'names the bucket "other", and the project file "states"'],
    ["s3://states/other", { bucket: "states", key: "edge" }, 'names the prefix "other", and the project file "edge"'],
    ["s3://states", { key: "theirs" }, 'names no prefix, and the project file "theirs"'],
    ["s3://states/", { bucket: "states", key: "theirs" }, 'names no prefix, and the project file "theirs"'],
  ])("%s is only compared with %j of the project", (address, wanted, says) => {
    expect(refusalOf(() => parseAddress(address, wanted))).toMatchObject({
      diagnostic: { code: "state-engine", message: expect.stringContaining(says) },
    });
  });

  test("with a prefix and no bucket does not leave the bucket to the project", () => {
    for (const wanted of [{ bucket: "theirs" }, { bucket: "theirs", key: "edge" }])
      expect(refusalOf(() => parseAddress("s3:///edge", wanted))).toMatchObject({
        diagnostic: { code: "state-address", message: expect.stringContaining("it names no bucket") },
      });
  });

  test.each([
    ["s3://", "it names no bucket"],
    ["s3:states", "it does not have the form"],
    ["s3://b/x", "no name of a bucket"],
    ["s3://key:secret-key-123@states/x", "credentials, and those come from AWS's environment"],
    ["s3://states/a/../b", "a part without a name"],
    ["s3://states/a b", "not safe in a key"],
    ["s3://states/x?secret=secret-key-123", "a parameter that is not known"],
    ["s3://states/x?endpoint=s3.internal", "no https:// or http:// address"],
    ["s3://states/x?endpoint=https%3A%2F%2Fme%3Asecret-key-123%40h", "has a user or a password"],
    ["s3://states/x?endpoint=http%3A%2F%2Fs3.internal%3A7070", "would send the states unencrypted"],
    ["s3://states/x?path_style=maybe", "neither true nor false"],
    ["s3://states/x?region=eu%2Fcentral", "no region has"],
    ["s3://states/x?region=%zz", "no percent-encoding"],
  ])("%s is refused, and no message holds what could be a secret", (address, says) => {
    const refused = refusalOf(() => parseAddress(address));
    expect(refused).toBeInstanceOf(StateError);
    expect(refused).toMatchObject({ diagnostic: { code: "state-address", message: expect.stringContaining(says) } });
    expect(String(refused)).not.toContain("secret-key-123");
  });
});

function refusalOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
