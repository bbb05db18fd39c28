import { Refusal } from "../core/diagnostic.ts";

/** Waits for work without which what was done before it is not wrong. Throws everything but `Refusal`. */
export async function unlessRefused(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
  }
}
