import type { HostDeps } from "../host-deps.ts";
import type { BlockDevice, ToolUse } from "./disk-backend.ts";
import { deviceNumber, findMounts } from "./find-users.ts";
import { openFolderOf } from "./instance-files.ts";

/**
 * Freezes or unfreezes the file system on a device. All mounts of a device share its file system, so one mount is enough. Returns false if
 * the device is not mounted, or if its file system is already in the requested state or cannot be frozen.
 */
export async function setFrozen(
  { run }: Pick<HostDeps, "run">,
  device: BlockDevice,
  action: "freeze" | "unfreeze",
  use: ToolUse,
): Promise<boolean> {
  for (const { pid, path } of await findMounts(device)) {
    const handle = await openFolderOf(pid, path).catch(() => undefined);
    if (handle === undefined) continue;
    try {
      // The instance may have changed its mounts in the meantime. The host's own file systems must never be frozen.
      if ((await handle.stat()).dev !== deviceNumber(device.major, device.minor)) continue;
      const inherit = [...(use.inherit ?? []), handle.fd];
      const options = { ...use, inherit, accept: [1] };
      const { code } = await run("fsfreeze", [`--${action}`, `/proc/self/fd/${2 + inherit.length}`], options);
      return code === 0;
    } finally {
      await handle.close();
    }
  }
  return false;
}
