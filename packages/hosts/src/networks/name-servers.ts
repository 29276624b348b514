import { Fault, type Clock } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { nameObject, prefix } from "../names.ts";
import type { Network, PortRecord } from "./network.ts";
import { createSerializer } from "../serialize.ts";
import type { Signal } from "./signal.ts";

/**
 * Returns the folder with the names of instances, one file per instance. The folder is under /run, because name servers run as `nobody`,
 * who cannot read the host's folder.
 */
export function namesFolderOf(directory: string): string {
  return `/run/${prefix}-dns-${createHash("sha256").update(directory).digest("hex").slice(0, 10)}`;
}

const stopLimit = { attempts: 100, pauseMs: 20 };

/** One name server per network. It listens only on the gateway's address. Name servers keep running when the agent exits. */
export interface NameServers {
  /** Starts the network's name server, or restarts it if its configuration changed. */
  ensure(network: Network, gateway: string, signal: Signal): Promise<void>;
  remove(networkUid: string): Promise<void>;
  /** Adds the name of an instance to its network's name server. */
  publish(network: Network, port: PortRecord): Promise<void>;
  withdraw(port: PortRecord): Promise<void>;
  /** Stops the name servers of all other networks, and removes the names of all other ports. */
  keepOnly(networkUids: readonly string[], ports: readonly PortRecord[]): Promise<void>;
}

export async function openNameServers(deps: HostDeps): Promise<NameServers> {
  const folder = join(deps.directory, "name-servers");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const namesFolder = namesFolderOf(deps.directory);
  const serialize = createSerializer();
  const ownArgument = `--pid-file=${folder}/`;
  const pidArgument = (name: string): string => `${ownArgument}${name}.pid`;
  const namesOf = (networkUid: string): string => join(namesFolder, nameObject("bridge", networkUid));

  /** Finds processes by their command line. This also finds a name server without a pid file, which a killed agent may have left. */
  async function find(name: string): Promise<Process[]> {
    return (await listProcesses()).filter(({ args }) => args.includes(pidArgument(name)));
  }

  /** Makes a running name server read the names again. A name server that starts later reads them anyway. */
  async function reload(name: string): Promise<void> {
    const pid = Number(await readFile(join(folder, `${name}.pid`), "utf8").catch(() => "0"));
    const isOurs = pid > 0 && (await readProcess(pid)).args.includes(pidArgument(name));
    for (const one of isOurs ? [{ pid }] : await find(name)) signalProcess(one.pid, "SIGHUP");
  }

  async function stop(name: string): Promise<void> {
    for (const { pid } of await find(name)) await endProcess(deps.clock, pid);
    await rm(join(folder, `${name}.pid`), { force: true });
  }

  return {
    ensure: (network, gateway, signal) =>
      serialize(network.uid, async () => {
        const name = nameObject("bridge", network.uid);
        await mkdir(namesOf(network.uid), { recursive: true, mode: 0o755 });
        const upstream = network.nat ? await listUpstream() : [];
        const wanted = [pidArgument(name), ...renderArguments(network, { gateway, upstream, names: namesOf(network.uid) })];
        const [running] = await find(name);
        if (running !== undefined && running.args.slice(1).join("\0") === wanted.join("\0")) return;
        await stop(name);
        // dnsmasq returns when it is listening, and continues in the background.
        await deps.run("dnsmasq", wanted, { signal });
      }),
    async remove(networkUid) {
      await stop(nameObject("bridge", networkUid));
      await rm(namesOf(networkUid), { recursive: true, force: true });
      // It stays as long as other networks have names in it.
      await rmdir(namesFolder).catch(() => undefined);
    },
    async publish(network, port) {
      const file = join(namesOf(network.uid), nameObject("port", port.uid));
      const names = network.domain === undefined ? port.name : `${port.name}.${network.domain} ${port.name}`;
      const content = `${port.address} ${names}\n`;
      if ((await readFile(file, "utf8").catch(() => "")) === content) return;
      await mkdir(namesOf(network.uid), { recursive: true, mode: 0o755 });
      // The name server ignores files that begin with a dot, so it never reads a half-written file.
      const next = join(namesOf(network.uid), `.${nameObject("port", port.uid)}`);
      await writeFile(next, content, { mode: 0o644 });
      await rename(next, file);
      await serialize(network.uid, () => reload(nameObject("bridge", network.uid)));
    },
    async withdraw(port) {
      await rm(join(namesOf(port.network), nameObject("port", port.uid)), { force: true });
      await serialize(port.network, () => reload(nameObject("bridge", port.network)));
    },
    async keepOnly(networkUids, ports) {
      const bridges = new Set(networkUids.map((uid) => nameObject("bridge", uid)));
      const files = await readdir(folder);
      const running = (await listProcesses()).flatMap(({ args }) => args.filter((argument) => argument.startsWith(ownArgument)));
      const started = running.map((argument) => argument.slice(ownArgument.length));
      const known = new Set([...files, ...started].map((file) => file.replace(/\.pid$/, "")));
      for (const name of known) if (!bridges.has(name)) await stop(name);
      for (const name of await readdir(namesFolder).catch(() => []))
        if (!bridges.has(name)) await rm(join(namesFolder, name), { recursive: true, force: true });
      for (const uid of networkUids) {
        const expected = new Set(ports.flatMap((port) => (port.network === uid ? [nameObject("port", port.uid)] : [])));
        for (const file of await readdir(namesOf(uid)).catch(() => []))
          if (!expected.has(file)) await rm(join(namesOf(uid), file), { force: true });
      }
      if (networkUids.length === 0) await rm(namesFolder, { recursive: true, force: true });
    },
  };
}

interface Configuration {
  readonly gateway: string;
  /** Addresses of the name servers to which queries are forwarded. */
  readonly upstream: readonly string[];
  /** Folder with the names of instances. */
  readonly names: string;
}

/**
 * Renders the arguments of dnsmasq. dnsmasq reads no configuration file, so the host's own settings have no effect. It does not watch files
 * either: by default, the kernel limits a user to 128 inotify instances, and each instance of the cloud needs several.
 */
export function renderArguments({ domain }: Pick<Network, "domain">, { gateway, upstream, names }: Configuration): string[] {
  return [
    "--conf-file=/dev/null",
    "--user=nobody",
    "--group=nogroup",
    "--bind-interfaces",
    `--listen-address=${gateway}`,
    "--except-interface=lo",
    "--no-hosts",
    `--addn-hosts=${names}`,
    "--domain-needed",
    "--no-resolv",
    ...(domain === undefined ? [] : [`--local=/${domain}/`]),
    // A network without NAT has no upstream name servers. Forwarding its queries would only reveal which names its instances look up.
    ...upstream.map((address) => `--server=${address}`),
  ];
}

/** Returns the name servers that the host itself uses. */
async function listUpstream(): Promise<string[]> {
  const lines = (await readFile("/etc/resolv.conf", "utf8").catch(() => "")).split("\n");
  return lines.flatMap((line) => /^\s*nameserver\s+([0-9a-fA-F.:]+)\s*$/.exec(line)?.[1] ?? []);
}

async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(pids.map((pid) => readProcess(Number(pid))));
  return processes.filter(({ args }) => args[0]?.endsWith("dnsmasq") === true);
}

interface Process {
  readonly pid: number;
  readonly args: readonly string[];
}

async function readProcess(pid: number): Promise<Process> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return { pid, args: line.split("\0").slice(0, -1) };
}

/** Returns true if the process still exists. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function endProcess(clock: Clock, pid: number): Promise<void> {
  for (let attempt = 0; attempt < stopLimit.attempts; attempt += 1) {
    const signal = attempt === 0 ? "SIGTERM" : attempt === stopLimit.attempts / 2 ? "SIGKILL" : 0;
    if (!signalProcess(pid, signal)) return;
    await clock.sleep(stopLimit.pauseMs);
  }
  throw new Fault(hostsFaults.tool_timeout, `the name server with the process id ${pid} did not exit after SIGKILL`);
}
