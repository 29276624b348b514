import { Fault } from "@cloudwright/platform";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { hostsFaults } from "./faults.ts";

/** Debian packages of the programs that hosts need. */
const packages: Readonly<Record<string, string>> = {
  ip: "iproute2",
  tc: "iproute2",
  bridge: "iproute2",
  nft: "nftables",
  dnsmasq: "dnsmasq-base",
  modprobe: "kmod",
  losetup: "mount",
  mount: "mount",
  umount: "mount",
  nsenter: "util-linux",
  setpriv: "util-linux",
  unshare: "util-linux",
  blkid: "util-linux",
  "systemd-nspawn": "systemd-container",
  mmdebstrap: "mmdebstrap",
  "mkfs.ext4": "e2fsprogs",
  e2fsck: "e2fsprogs",
  resize2fs: "e2fsprogs",
  "ssh-keygen": "openssh-client",
  tar: "tar",
  sync: "coreutils",
  cp: "coreutils",
  "qemu-system-x86_64": "qemu-system-x86",
  "ovs-vsctl": "openvswitch-switch",
  "ovs-ofctl": "openvswitch-switch",
  ethtool: "ethtool",
  flock: "util-linux",
  fsfreeze: "util-linux",
  lvcreate: "lvm2",
  lvs: "lvm2",
};

const defaultTimeoutMs = 60_000;
/** Limits the memory that a program's output can use. */
const outputLimit = 4 * 1024 * 1024;
const errorLimit = 2000;

export interface ToolOptions {
  readonly input?: string | Buffer;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly cwd?: string;
  /** Exit codes that are not failures, in addition to 0. */
  readonly accept?: readonly number[];
  /**
   * File descriptors that the program inherits as descriptors 3, 4 and so on. The program also holds a lock on such a descriptor until it
   * exits.
   */
  readonly inherit?: readonly number[];
}

export interface ToolResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program on the host, without a shell and with a fixed environment. Throws if the program is missing, fails, or does not finish in
 * time. Arguments may appear in error messages, so secrets must be passed as `input`.
 */
export async function runTool(tool: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  const { input = "", signal, timeoutMs = defaultTimeoutMs, cwd = "/", accept = [], inherit = [] } = options;
  if (signal?.aborted === true)
    throw new Fault(hostsFaults.cancelled, `${tool} was not started, because the operation was cancelled`);
  const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };
  // Run in its own process group, so that the program's children can be killed with it.
  const child = spawn(tool, args, {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...inherit],
  }) as ChildProcessWithoutNullStreams;
  let reason: "cancelled" | "tool_timeout" | undefined;
  const end = (why: typeof reason): void => {
    reason ??= why;
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const onAbort = (): void => end("cancelled");
  const timer = setTimeout(() => end("tool_timeout"), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout = (stdout + text).slice(0, outputLimit)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-outputLimit)));
  // A program may exit without reading its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (reason !== undefined)
      throw new Fault(
        hostsFaults[reason],
        `${describe(tool, args)} was killed, because it was cancelled or ran for more than ${timeoutMs} ms`,
      );
    if (code === 0 || (code !== null && accept.includes(code))) return { code, stdout, stderr };
    const said = stderr.trim() === "" ? stdout : stderr;
    throw new Fault(
      hostsFaults.tool_failed,
      `${describe(tool, args)} failed with exit code ${code ?? "none (killed by a signal)"}: ${oneLine(said)}`,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Fault(
      hostsFaults.missing_tool,
      `${tool} is not installed; on Debian, run: apt-get install ${packages[tool] ?? tool}`,
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The program has already exited.
  }
}

function describe(tool: string, args: readonly string[]): string {
  return [tool, ...args].join(" ").slice(0, 300);
}

/** Joins the last lines of a program's output. */
function oneLine(text: string): string {
  const lines = text.slice(-errorLimit).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("; ");
}
