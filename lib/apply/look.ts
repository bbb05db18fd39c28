/**
 * A look that is to settle a write of unknown fate. One that fails itself settles nothing: then the write stays unknown,
 * and the failure of the look must not pass for the failure of the write.
 */
export async function look<T>(asked: Promise<T>): Promise<T | "unknown"> {
  return asked.catch(() => "unknown" as const);
}
