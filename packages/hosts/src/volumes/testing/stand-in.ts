import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { runTool, type ToolResult } from "../../run-tool.ts";
import type { VolumeInstance } from "../volume.ts";

/** A process with namespaces and a /dev of its own that stands in for an instance. */
export interface StandIn extends VolumeInstance {
  readonly pid: number;
  /** A mount point. Mounts on this folder are visible only inside the stand-in. */
  readonly mountPoint: string;
  run(command: readonly string[], accept?: readonly number[]): Promise<ToolResult>;
  stop(): Promise<void>;
}

const setUp = [
  "mount -t tmpfs -o mode=755 tmpfs /dev",
  "for node in 'null 3' 'zero 5' 'random 8' 'urandom 9'; do set -- $node; mknod -m 666 /dev/$1 c 1 $2; done",
  // cat exits with the test, which holds the other end of cat's input.
  "echo ready; exec cat",
].join(" && ");

export async function startStandIn(uid: string, mountPoint: string): Promise<StandIn> {
  await mkdir(mountPoint, { recursive: true });
  const namespaces = ["--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
  const child = spawn("unshare", [...namespaces, "sh", "-ec", setUp], { stdio: ["pipe", "pipe", "ignore"] });
  await once(createInterface(child.stdout), "line");
  const { stdout } = await runTool("cat", [`/proc/${child.pid}/task/${child.pid}/children`]);
  const pid = Number(stdout);
  let isStopped = false;
  return {
    uid,
    pid,
    mountPoint,
    leaderPid: () => Promise.resolve(isStopped ? undefined : pid),
    run: (command, accept = []) =>
      runTool("nsenter", ["--target", String(pid), "--mount", "--pid", "--", ...command], { accept }),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      const ended = once(child, "exit");
      process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}
