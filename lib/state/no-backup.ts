import { StateError } from "./error.ts";

/** There is no earlier snapshot of that serial; `where` names the state. */
export function noBackup(where: string, serial: number): StateError {
  return new StateError({
    code: "backup-missing",
    message: `there is no earlier copy of serial ${serial} of ${where}`,
    remedy: "to list the copies: zoneform state doctor",
  });
}
