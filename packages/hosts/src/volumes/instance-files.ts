import { Fault } from "@cloudwright/platform";
import { constants } from "node:fs";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens a folder in the root file system of a process. Does not follow symbolic links, because an instance could create a link to a file of
 * the host. Programs of the host that inherit the descriptor can work in the folder without entering the instance.
 */
export async function openFolderOf(pid: number, path: string, { create = false } = {}): Promise<FileHandle> {
  let folder = await open(`/proc/${pid}/root`, O_RDONLY | O_DIRECTORY);
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = folder;
    const place = `/proc/self/fd/${parent.fd}/${name}`;
    try {
      if (create) await mkdir(place, { mode: 0o755 }).catch(ignoreExisting);
      folder = await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (!["ELOOP", "ENOTDIR"].includes(code)) throw cause;
      throw new Fault(
        hostsFaults.device_denied,
        `${path} of process ${pid} is not a folder; inside the instance, replace ${name} with a folder`,
        {
          cause,
        },
      );
    } finally {
      await parent.close();
    }
  }
  return folder;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
