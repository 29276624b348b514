import { nameObject } from "@cloudwright/hosts";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Lists everything on this machine that the host of a home directory creates: interfaces, rules, namespaces, loop devices, mounts, groups of
 * processes and names. Some of these are in namespaces of the suite. The names of the others contain the home directory or its hash.
 */
export function listHostObjects(home: string): string[] {
  const directory = join(home, "agent", "host");
  const read = (program: string, ...args: string[]): string[] => execFileSync(program, args, { encoding: "utf8" }).split("\n");
  const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const inHost = (line: string): boolean => line.includes(`${directory}/`);
  const group = nameObject("machine", directory);
  const names = `cw-dns-${createHash("sha256").update(directory).digest("hex").slice(0, 10)}`;
  return [
    ...read("ip", "-brief", "link").filter((line) => line.startsWith("cw")),
    ...read("nft", "list", "tables").filter((line) => /\bcw/.test(line)),
    ...namesIn("/run").filter((name) => name === names),
    ...namesIn("/run/netns").filter((name) => name.startsWith("cw")),
    ...read("losetup", "--list", "--noheadings", "--output", "BACK-FILE").filter(inHost),
    ...readFileSync("/proc/self/mounts", "utf8").split("\n").filter(inHost),
    ...["", "pids", "memory"].flatMap((name) => namesIn(`/sys/fs/cgroup/${name}`)).filter((name) => name === group),
  ];
}
