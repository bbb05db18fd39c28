import { memoryStore } from "../support/memory-store.ts";
import { describeStore } from "./store-suite.ts";

describeStore("the store in memory", async () => {
  const store = memoryStore();
  return { store, other: store };
});
