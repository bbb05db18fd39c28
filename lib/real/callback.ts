import { inspect } from "node:util";

/**
 * Wraps a caller's callback so that it cannot break a run: what it throws or rejects with becomes a process warning
 * (`ZoneformWarning`), because the run's report must not be lost with it.
 */
export function guardCallback<Given extends readonly unknown[]>(
  name: string,
  callback: (...given: Given) => unknown,
): (...given: Given) => void {
  const warn = (thrown: unknown): void => {
    const message = thrown instanceof Error ? thrown.message : inspect(thrown);
    process.emitWarning(`the callback ${name} failed, and the run goes on: ${message}`, "ZoneformWarning");
  };
  return (...given) => {
    try {
      Promise.resolve(callback(...given)).catch(warn);
    } catch (thrown) {
      warn(thrown);
    }
  };
}
