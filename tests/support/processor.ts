/**
 * The result of an action, and how many seconds of processor time it took in this process. Unlike elapsed time, processor time
 * does not grow when the machine is busy, and still shows quadratic growth.
 */
export async function onProcessor<T>(act: () => T | Promise<T>): Promise<readonly [result: T, seconds: number]> {
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000_000];
}
