import type { Random } from "../../core/clock.ts";
import type { FileSystem } from "../../core/file-system.ts";
import type { LostPlace } from "../lost-results.ts";
import { guard } from "./failure.ts";
import { makeLastingFolder } from "./lasting-folder.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

/** Keeps lost results as files in a folder of this machine. The first one makes the folder, for this user alone. */
export function lostFiles(fs: FileSystem, folder: string, random: Random): LostPlace {
  return {
    keep: async (name, lines) => {
      const path = `${folder}/${name}`;
      await guard(folder, "written", () => makeLastingFolder(fs, folder), "the file of the lost results");
      return guard(
        path,
        "written",
        async () => {
          // Under its name it is always complete.
          const { temporary } = await prepareSnapshot(fs, `${path}.temporary-${random.uuid()}`, lines);
          await putInPlace(fs, folder, temporary, path);
          return path;
        },
        "the file of the lost results",
      );
    },
  };
}
