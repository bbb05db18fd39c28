import { parentPort } from "node:worker_threads";
import { playSeeds, type Share } from "./play-seeds.ts";

parentPort?.on("message", (share: Share) => {
  playSeeds(share).then(
    (tally) => parentPort?.postMessage({ tally }, []),
    (thrown: unknown) =>
      parentPort?.postMessage({ thrown: thrown instanceof Error ? thrown.stack : String(thrown) }, []),
  );
});
