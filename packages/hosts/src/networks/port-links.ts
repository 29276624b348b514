import { readdir } from "node:fs/promises";
import { nameObject } from "../names.ts";
import { deleteLink, hasLink, listLinks, runIp, type Link, type LinkDeps } from "./links.ts";
import type { Network, Port } from "./network.ts";
import { connectToSwitch } from "./switches.ts";
import type { Serialize } from "../serialize.ts";
import type { Signal } from "./signal.ts";

/** Folder in which `ip netns` keeps the names of network namespaces. */
const namespaceFolder = "/run/netns";
/** Name of the instance's interface. systemd-nspawn uses the same name. */
const inner = "host0";

interface PortDeps extends LinkDeps {
  readonly serialize: Serialize;
}

/** Creates the namespace of a port, its interface and its connection to the bridge. Completes or corrects whatever exists. */
export async function ensurePort(deps: PortDeps, port: Port, network: Pick<Network, "switch">, signal: Signal): Promise<void> {
  const { namespace, mac, mtu, address, prefixLength, gateway } = port;
  const outer = nameObject("port", port.uid);
  const isNew = await ensureNamespace(deps, namespace, signal);
  const isPaired = !isNew && (await findInner(deps, namespace, signal))?.address === mac && (await hasLink(deps, outer, signal));
  if (!isPaired) {
    await deleteLink(deps, outer, signal);
    // Both ends of a veth pair disappear together, so an interface that is left was created by the instance.
    if (!isNew && (await findInner(deps, namespace, signal)) !== undefined)
      await runIp(deps, [`link delete dev ${inner}`], signal, namespace);
  }
  const create = `link add name ${outer} mtu ${mtu} type veth peer name ${inner} address ${mac} mtu ${mtu} netns ${namespace}`;
  await runIp(deps, [...(isPaired ? [] : [create]), `link set dev ${outer} mtu ${mtu} addrgenmode none`], signal);
  if (network.switch === "ovs") await connectToSwitch(deps, { network: port.network, outer, inner, namespace }, signal);
  else await connectToBridge(deps, { mac, outer, bridge: nameObject("bridge", port.network) }, signal);
  await runIp(
    deps,
    [
      "link set dev lo up",
      `link set dev ${inner} mtu ${mtu} addrgenmode none up`,
      // systemd-networkd in the instance sets the address again. If the broadcast address differed, networkd would fail and delay the boot
      // by minutes.
      `address replace ${address}/${prefixLength} brd + dev ${inner}`,
      `route replace default via ${gateway} dev ${inner}`,
    ],
    signal,
    namespace,
  );
}

async function connectToBridge(
  deps: LinkDeps,
  { mac, outer, bridge }: { readonly mac: string; readonly outer: string; readonly bridge: string },
  signal: Signal,
): Promise<void> {
  await runIp(
    deps,
    [
      `link set dev ${outer} master ${bridge}`,
      // The MAC is entered statically, so an instance cannot receive another instance's traffic by using its MAC.
      `link set dev ${outer} type bridge_slave learning off flood off mcast_flood off`,
      `link set dev ${outer} up`,
    ],
    signal,
  );
  await deps.run("bridge", ["fdb", "replace", mac, "dev", outer, "master", "static"], { signal });
}

async function findInner(deps: LinkDeps, namespace: string, signal: Signal): Promise<Link | undefined> {
  return (await listLinks(deps, signal, namespace)).find(({ ifname }) => ifname === inner);
}

/** Deletes the namespace of a port and its interfaces. */
export async function deletePort(deps: PortDeps, uid: string, signal: Signal): Promise<void> {
  // The kernel deletes the interfaces of a namespace in the background. The port's interface is therefore deleted first, and explicitly.
  await deleteLink(deps, nameObject("port", uid), signal);
  await deleteNamespace(deps, nameObject("namespace", uid), signal);
}

export async function deleteNamespace({ run, serialize }: PortDeps, name: string, signal: Signal): Promise<void> {
  await serialize("namespaces", async () => {
    if (!(await listNamespaces()).includes(name)) return;
    await run("ip", ["netns", "delete", name], { signal });
  });
}

export async function listNamespaces(): Promise<string[]> {
  return readdir(namespaceFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/**
 * Creates a namespace unless it exists. Returns true if the namespace is new. Namespaces are created one at a time, because parallel calls
 * of `ip netns add` fail with "Peer netns reference is invalid".
 */
async function ensureNamespace({ run, serialize }: PortDeps, name: string, signal: Signal): Promise<boolean> {
  return serialize("namespaces", async () => {
    if ((await listNamespaces()).includes(name)) {
      const { code } = await run("ip", ["-n", name, "link", "show", "dev", "lo"], { signal, accept: [1, 255] });
      if (code === 0) return false;
      // An attempt that was killed between creating the file and mounting the namespace on it leaves a file without a namespace.
      await run("ip", ["netns", "delete", name], { signal, accept: [1, 255] });
    }
    await run("ip", ["netns", "add", name], { signal });
    return true;
  });
}
