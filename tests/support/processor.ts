/**
 * What an action gives, and how many seconds of processor time it took in this process. Unlike the time on the clock they
 * do not grow while the machine is busy with something else; what grows with the square of its input still shows.
 */
export async function onProcessor<T>(act: () => T | Promise<T>): Promise<readonly [result: T, seconds: number]> {
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000_000];
}
