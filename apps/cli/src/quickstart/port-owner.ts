import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";

export function isTaken({ host, port }: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host, port });
    const end = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.setTimeout(2000, () => end(true));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

const listening = "0A";

/**
 * Describes the process that listens on a port, such as `node (process 4711)`. Returns undefined if the operating system does not show the
 * process.
 */
export function findPortOwner(port: number): string | undefined {
  try {
    const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    const inodes = ["tcp", "tcp6"].flatMap((table) =>
      readFileSync(`/proc/net/${table}`, "utf8")
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local = "", , state]) => local.endsWith(wanted) && state === listening)
        .map((fields) => `socket:[${fields[9]}]`),
    );
    const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && holdsAny(name, inodes));
    return pid === undefined ? undefined : `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
  } catch {
    return undefined;
  }
}

function holdsAny(pid: string, inodes: readonly string[]): boolean {
  // Skips processes that have ended or that belong to other users.
  const files = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return files.some((fd) => inodes.includes(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ""));
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
