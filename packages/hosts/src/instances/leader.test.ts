import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeader } from "./leader.ts";

test("the leader is process 1 in the namespace below the agent's, even if the instance runs containers", async () => {
  const procfs = await mkdtemp(join(tmpdir(), "proc-"));
  onTestFinished(() => rm(procfs, { recursive: true }));
  const write = async (pid: number | "self", namespacePids: string, state = "S (sleeping)"): Promise<void> => {
    await mkdir(join(procfs, String(pid)));
    await writeFile(join(procfs, String(pid), "status"), `Name:\tx\nState:\t${state}\nNSpid:\t${namespacePids}\n`);
  };
  await write("self", "50");
  await write(100, "100");
  await write(101, "101\t2");
  await write(102, "102\t30\t1");
  await write(103, "103\t1", "Z (zombie)");
  await write(104, "104\t1");
  await write(105, "105\t1");
  await write(106, "106\t1");
  await symlink("/usr/bin/systemd-nspawn", join(procfs, "105", "exe"));
  // Process 106 is exiting, so its program cannot be read.
  for (const pid of [102, 103, 104]) await symlink("/usr/lib/systemd/systemd", join(procfs, String(pid), "exe"));
  expect(findLeader([99, 100, 101, 102, 103, 105, 106], procfs)).toBeUndefined();
  expect(findLeader([99, 100, 101, 102, 103, 105, 106, 104], procfs)).toBe(104);
});
