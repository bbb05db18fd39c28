import { isObject } from "../core/json.ts";

/** The serial in the first line of a snapshot, which is never encrypted; 0 if it cannot be read. */
export function headerSerial(line: string): number {
  try {
    const header: unknown = JSON.parse(line);
    const serial = isObject(header) ? header["serial"] : undefined;
    return typeof serial === "number" && Number.isSafeInteger(serial) && serial >= 0 ? serial : 0;
  } catch {
    return 0;
  }
}
