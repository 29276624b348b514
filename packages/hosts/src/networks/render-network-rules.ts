import { nameObject, prefix } from "../names.ts";
import { deriveMac, planAddresses } from "./address-plan.ts";
import type { Network } from "./network.ts";
import { renderChain, renderDeletion, renderSet, renderTable } from "./nft-table.ts";
import { vxlanPort } from "./vxlan.ts";

const [inetTable, bridgeTable] = [`inet ${prefix}net`, `bridge ${prefix}net`];
const bridges = `"${prefix}b*"`;
const links = `"${prefix}p*"`;
const tunnels = `"${prefix}v*"`;
const quote = (name: string): string => `"${name}"`;

export interface NetworkRules {
  readonly networks: readonly Network[];
  /** True if IP forwarding was on before the platform enabled it. If it was off, the host forwards only the packets of its networks. */
  readonly hostRoutes: boolean;
}

/** Returns the MAC of a network's gateway. It is the same on all hosts of the network. */
export const gatewayMac = (uid: string): string => deriveMac(`gateway:${uid}`);

/** Renders the rules that isolate networks, translate the addresses of outbound packets and protect the host from instances. */
export function renderNetworkRules({ networks, hostRoutes }: NetworkRules): string {
  const planned = networks.map((network) => {
    const { gateway } = planAddresses(network);
    return { ...network, gateway, bridge: quote(nameObject("bridge", network.uid)) };
  });
  const open = planned.filter(({ nat }) => nat);
  const peers = planned.flatMap(({ vxlan }) => vxlan?.peers ?? []);
  const hasTunnels = planned.some(({ vxlan }) => vxlan !== undefined);
  const inet = renderTable(inetTable, [
    renderSet("same", "ifname . ifname", planned.map(({ bridge }) => `${bridge} . ${bridge}`)), // prettier-ignore
    renderSet("open", "ifname", open.map(({ bridge }) => bridge)), // prettier-ignore
    renderSet("gateways", "ifname . ipv4_addr", planned.map(({ bridge, gateway }) => `${bridge} . ${gateway}`)), // prettier-ignore
    renderSet("gateway_addresses", "ipv4_addr", planned.map(({ gateway }) => gateway)), // prettier-ignore
    renderSet("ranges", "ipv4_addr", planned.map(({ cidr }) => cidr), "interval"), // prettier-ignore
    renderSet("peers", "ipv4_addr", peers),
    renderChain("forward", [
      "type filter hook forward priority filter - 10; policy accept;",
      // Packets within a bridge also pass this chain, because of nf_call_iptables.
      "iifname . oifname @same accept",
      `iifname ${bridges} oifname ${bridges} drop`,
      `iifname ${bridges} iifname != @open drop`,
      `oifname ${bridges} oifname != @open drop`,
      // Drops packets from outside that use the address of an instance as their source.
      `oifname ${bridges} ip saddr @ranges drop`,
      // Instances must not reach the metadata service of the host's own cloud, because it may return that cloud's credentials.
      `iifname ${bridges} ip daddr 169.254.0.0/16 drop`,
      // Drops VXLAN packets from instances. With the host's address as their source, they would enter networks on other hosts.
      `iifname ${bridges} udp dport ${vxlanPort} drop`,
      `iifname ${bridges} meta nfproto ipv6 drop`,
      // Packets within bridges of other software also pass this chain, if the host filters them.
      ...(hostRoutes
        ? []
        : [
            `iifname != ${bridges} oifname != ${bridges} meta iifkind != "bridge" drop`,
            `iifname != ${bridges} oifname != ${bridges} meta oifkind != "bridge" drop`,
          ]),
    ]),
    renderChain("input", [
      "type filter hook input priority filter - 10; policy accept;",
      ...(hasTunnels ? [`udp dport ${vxlanPort} ip saddr != @peers drop`] : []),
      `iifname != ${bridges} iifname != "lo" ip daddr @gateway_addresses drop`,
      `iifname != ${bridges} accept`,
      // Accepts replies on connections that the host itself opened, such as SSH to an instance.
      "ct direction reply ct state established,related accept",
      "ct state related accept",
      "iifname . ip daddr @gateways meta l4proto { tcp, udp } th dport 53 accept",
      "iifname . ip daddr @gateways icmp type echo-request accept",
      "drop",
    ]),
    ...(planned.some((network) => network.switch === "ovs") ? [renderUnswitched()] : []),
    renderChain("postrouting", [
      "type nat hook postrouting priority srcnat; policy accept;",
      ...open.map(({ cidr }) => `ip saddr ${cidr} oifname != ${bridges} masquerade`),
    ]),
  ]);
  if (!hasTunnels) return `${renderDeletion(bridgeTable).join("\n")}\n${inet}`;
  // Every host of a network has the gateway, with the same address and MAC. Frames from and to the gateway must not leave their host.
  const macs = planned.map(({ uid }) => gatewayMac(uid));
  const bridge = renderTable(bridgeTable, [
    renderSet("gateway_macs", "ether_addr", macs),
    renderSet("gateway_addresses", "ipv4_addr", planned.map(({ gateway }) => gateway)), // prettier-ignore
    renderChain("prerouting", [
      "type filter hook prerouting priority -300; policy accept;",
      `iifname ${tunnels} ether saddr @gateway_macs drop`,
      `iifname ${tunnels} ether daddr @gateway_macs drop`,
      `iifname ${tunnels} arp daddr ip @gateway_addresses drop`,
    ]),
    renderChain("forward", [
      "type filter hook forward priority -300; policy accept;",
      `oifname ${tunnels} arp daddr ip @gateway_addresses drop`,
    ]),
    renderChain("output", ["type filter hook output priority -300; policy accept;", `oifname ${tunnels} drop`]),
  ]);
  return `${bridge}${inet}`;
}

/**
 * Drops the packets that the kernel itself receives on the interfaces of a switch. A switch that runs in a process gets a copy of them, and
 * it alone decides what passes. Packets of bridges have the bridge as their interface, so they are not affected.
 */
function renderUnswitched(): string[] {
  return renderChain("prerouting", ["type filter hook prerouting priority raw; policy accept;", `iifname ${links} drop`]);
}

/** Renders the commands that remove all network rules. */
export function renderNoNetworkRules(): string {
  return `${[...renderDeletion(bridgeTable), ...renderDeletion(inetTable)].join("\n")}\n`;
}
