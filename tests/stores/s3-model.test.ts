import { createHash } from "node:crypto";
import { Secret } from "../../lib/core/secret.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import type { KeyOf } from "../../lib/state/zone/sealing/cipher.ts";
import { sealedStore } from "../support/changed-store.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { random } from "../support/state-world.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";

/** Nobody guesses the passphrases of a test. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();
const SEALING = { passphrase: new Secret("correct horse"), acceptsPlain: false, random, keyOf: quickKey };

describeStore("the store in a bucket in memory", async () => {
  const bucket = memoryBucket();
  const open = (clock = realClock): ReturnType<StateStores["of"]> =>
    bucketStores(bucket.open(), "", "s3://model", { clock, steady: realSteadyClock, random }).of("suite");
  return { store: open(), other: open(), open };
});

describeStore("an encrypted store in a bucket in memory", async () => {
  const bucket = memoryBucket();
  const open = (clock = realClock): ReturnType<StateStores["of"]> => {
    const stores = bucketStores(bucket.open(), "", "s3://model", { clock, steady: realSteadyClock, random });
    return sealedStore(stores.of("suite"), SEALING);
  };
  return { store: open(), other: open(), open };
});

describeClaims("the store in a bucket in memory", async () => {
  let passed = 0;
  const bucket = memoryBucket(() => realClock.now() + passed);
  const open = (): StateStores["claims"] =>
    bucketStores(bucket.open(), "", "s3://model", { clock: realClock, steady: realSteadyClock, random }).claims;
  return {
    claims: open(),
    other: open(),
    pass: (milliseconds) => {
      passed += milliseconds;
    },
  };
});
