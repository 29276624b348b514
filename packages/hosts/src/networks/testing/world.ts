import { createUid, systemClock } from "@cloudwright/platform";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostDeps } from "../../host-deps.ts";
import { runTool } from "../../run-tool.ts";
import { namesFolderOf } from "../name-servers.ts";
import { ip } from "./probes.ts";

/** Returns the source of a module for another process. The module opens the networks of a host folder as `networks`. */
export const openingSource = (directory: string): string => `
  import { openNetworks } from ${JSON.stringify(new URL("../networks.ts", import.meta.url).pathname)};
  import { runTool } from ${JSON.stringify(new URL("../../run-tool.ts", import.meta.url).pathname)};
  const clock = { now: Date.now, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
  const networks = await openNetworks({ directory: ${JSON.stringify(directory)}, run: runTool, clock });`;

/** Creates a host folder and the other dependencies of a host. */
export async function createHost(): Promise<HostDeps & { remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "host-"));
  return { directory, run: runTool, clock: systemClock, remove: () => rm(directory, { recursive: true, force: true }) };
}

export const newUid = (): string => createUid(Date.now());

/** Addresses of the link between the host and the namespace `outside`, which represents the rest of the world. */
export const outside = { namespace: "outside", host: "192.0.2.1", address: "192.0.2.2" } as const;

export async function createOutside(): Promise<void> {
  const { namespace, host, address } = outside;
  await ip("netns", "add", namespace);
  await ip("link", "add", "out0", "type", "veth", "peer", "name", "out1", "netns", namespace);
  await ip("addr", "add", `${host}/24`, "dev", "out0");
  await ip("link", "set", "out0", "up");
  await ip("-n", namespace, "link", "set", "lo", "up");
  await ip("-n", namespace, "addr", "add", `${address}/24`, "dev", "out1");
  await ip("-n", namespace, "link", "set", "out1", "up");
}

export async function deleteOutside(): Promise<void> {
  await ip("link", "delete", "out0");
  await ip("netns", "delete", outside.namespace);
}

const read = (program: string, args: readonly string[]): string => execFileSync(program, args, { encoding: "utf8" });

/** Throws if any object of the platform is left on this host. */
export function requireNothingLeft(directory: string): void {
  const left = listLeftovers(directory);
  if (left.length > 0) throw new Error(`left on the host: ${left.join("; ")}`);
}

function listLeftovers(directory: string): string[] {
  const links = read("ip", ["-brief", "link"]).split("\n");
  const tables = read("nft", ["list", "tables"]).split("\n");
  const namespaces = existsSync("/run/netns") ? readdirSync("/run/netns") : [];
  const names = [namesFolderOf(directory)].filter((folder) => existsSync(folder));
  return [
    ...[...links, ...tables].filter((line) => /\bcw/.test(line)),
    ...namespaces.filter((name) => name.startsWith("cw")),
    ...names,
    ...listNameServers(directory),
  ];
}

/** Lists the name servers of a host folder, each with its process id and command line. */
export function listNameServers(directory: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      return line.includes(`--pid-file=${directory}`) ? [`${pid} ${line}`] : [];
    } catch {
      return [];
    }
  });
}

/** Deletes what a reboot of the host would delete. */
export async function loseKernelObjects(directory: string): Promise<void> {
  for (const line of listNameServers(directory)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
  for (const name of readdirSync("/run/netns")) if (name.startsWith("cw")) await ip("netns", "delete", name);
  const links = JSON.parse(await ip("-json", "link")) as { ifname: string }[];
  for (const { ifname } of links) if (/^cw[bpv]/.test(ifname)) await ip("link", "delete", ifname);
  const tables = read("nft", ["list", "tables"]);
  for (const line of tables.split("\n")) if (/ cw/.test(line)) read("nft", ["delete", ...line.split(" ")]);
  await rm(namesFolderOf(directory), { recursive: true, force: true });
}

/** Returns a function that runs a given number of tools. After that, every tool fails, as if the process had been killed. */
export function createCrash(after: number): { run: typeof runTool; crashed(): boolean } {
  let [count, hasCrashed] = [0, false];
  return {
    run: async (...args) => {
      hasCrashed ||= count >= after;
      if (hasCrashed) throw new Error("the process was killed");
      count += 1;
      return runTool(...args);
    },
    crashed: () => hasCrashed,
  };
}
