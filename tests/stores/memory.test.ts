import { memoryStore } from "../support/memory-store.ts";
import { describeStore } from "./suite.ts";

describeStore("the store in memory", async () => {
  const store = memoryStore();
  return { store, other: store, open: () => store };
});
