import { parseJson } from "@cloudwright/platform";
import { nameObject } from "../names.ts";
import { deleteLink, hasLink, runIp, type LinkDeps } from "./links.ts";
import type { Network } from "./network.ts";
import type { Signal } from "./signal.ts";

/** UDP port for VXLAN traffic between hosts. It is not the default, 4789, because Kubernetes on the same host may use that port. */
export const vxlanPort = 14_789;
/** The entries for this MAC are the peers that receive frames with an unknown destination. */
const anyMac = "00:00:00:00:00:00";

/** Connects the bridge of a network to the network's other hosts, or removes the connection if the network no longer uses VXLAN. */
export async function ensureVxlan(deps: LinkDeps, { uid, vxlan }: Network, mtu: number, signal: Signal): Promise<void> {
  const name = nameObject("vxlan", uid);
  if (vxlan === undefined) return deleteLink(deps, name, signal);
  const isThere = await hasLink(deps, name, signal);
  if (isThere && (await idOf(deps, name, signal)) !== vxlan.id) {
    await deleteLink(deps, name, signal);
    return ensureVxlan(deps, { uid, cidr: "", nat: false, vxlan }, mtu, signal);
  }
  const create = `link add name ${name} mtu ${mtu} type vxlan id ${vxlan.id} dstport ${vxlanPort}`;
  await runIp(
    deps,
    [
      ...(isThere ? [] : [create]),
      `link set dev ${name} mtu ${mtu} addrgenmode none master ${nameObject("bridge", uid)}`,
      `link set dev ${name} up`,
    ],
    signal,
  );
  const known = await listPeers(deps, name, signal);
  for (const peer of vxlan.peers.filter((one) => !known.includes(one)))
    await deps.run("bridge", ["fdb", "append", anyMac, "dev", name, "dst", peer], { signal });
  for (const peer of known.filter((one) => !vxlan.peers.includes(one)))
    await deps.run("bridge", ["fdb", "delete", anyMac, "dev", name, "dst", peer], { signal });
}

async function listPeers({ run }: LinkDeps, name: string, signal: Signal): Promise<string[]> {
  const { stdout } = await run("bridge", ["-json", "fdb", "show", "dev", name], { signal });
  const entries = (parseJson(stdout) ?? []) as { mac: string; dst?: string }[];
  return entries.flatMap(({ mac, dst }) => (mac === anyMac && dst !== undefined ? [dst] : []));
}

async function idOf({ run }: LinkDeps, name: string, signal: Signal): Promise<number | undefined> {
  const { stdout } = await run("ip", ["-json", "-details", "link", "show", "dev", name], { signal });
  const [link] = (parseJson(stdout) ?? []) as { linkinfo?: { info_data?: { id?: number } } }[];
  return link?.linkinfo?.info_data?.id;
}
