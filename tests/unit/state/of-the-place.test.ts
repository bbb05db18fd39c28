import { expect, test } from "vitest";
import { examine } from "../../../lib/state/upkeep/doctor.ts";
import { isOfThePlace } from "../../../lib/state/error.ts";
import {
  doubleLock,
  notAState,
  notStored,
  refusedBy,
  webPage,
  withoutLock,
} from "../../../lib/state/engines/http/failure.ts";
import { explained as explainedByPostgres, ServerError } from "../../../lib/state/engines/postgres/failure.ts";
import { BucketRefused } from "../../../lib/state/engines/s3/bucket.ts";
import { explained as explainedByS3 } from "../../../lib/state/engines/s3/failure.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { ZONE } from "../../support/state-world.ts";
import { changedStore } from "../../support/changed-store.ts";

const answered = (status: number): unknown => refusedBy({ status, headers: {}, body: "" }, "https://a.example", "read");
const sql = (state: string): unknown => explainedByPostgres(new ServerError(state, "no", undefined), "here", "read");
const bucket = (code: string): unknown => explainedByS3(new BucketRefused(code, 400, "no"), "s3://a", "read");

test.each<[string, unknown, boolean]>([
  ["a bucket that does not exist", bucket("NoSuchBucket"), true],
  ["credentials that expired", bucket("ExpiredToken"), true],
  ["a refusal of a bucket that nobody knows", bucket("EntityTooLarge"), false],
  ["a database that does not exist", sql("3D000"), true],
  ["a disk of the server that is full", sql("53100"), true],
  ["a statement that is too complex", sql("54001"), false],
  ["a server that wants a password", answered(401), true],
  ["a server that sends elsewhere", answered(302), true],
  ["a server that does not know the method", answered(405), true],
  ["a state that is too large for the server", answered(413), false],
  ["an address without locks", withoutLock("https://a.example"), true],
  ["a server that gives a lock to two", doubleLock("https://a.example"), true],
  ["a page to log in", webPage("https://a.example"), true],
  ["half of an answer", notAState("https://a.example", "the answer is no whole JSON"), false],
  ["a server that does not store", notStored("https://a.example"), true],
])("%s: is it about the place of all states?", (_what, thrown, isIt) => {
  expect(isOfThePlace(thrown)).toBe(isIt);
});

test("doctor finds nothing in a state where the place is what is wrong, but says that", async () => {
  const thrown = bucket("NoSuchBucket");
  const refuse = (): Promise<never> => Promise.reject(thrown);
  const store = changedStore(memoryStore(), { view: refuse, holding: refuse, files: refuse });
  await expect(examine(store, ZONE, 0)).rejects.toBe(thrown);
});
