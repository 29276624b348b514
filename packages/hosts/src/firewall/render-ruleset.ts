import { parseAnyRange, renderRange, type Ipv4Range } from "@cloudwright/platform";
import { nameObject, prefix } from "../names.ts";
import { renderChain, renderDeletion, renderJumps, renderSet, renderTable } from "../networks/nft-table.ts";
import type { Group, ProtectedPort, Rule } from "./rules.ts";

/*
 * The ruleset has two tables. The bridge table sees every frame of a port. In both directions, it accepts IPv4 frames only with the port's
 * own MAC and address. It also applies the ARP rules, and drops all other frames, such as IPv6 and VLAN frames. The inet table applies the
 * groups' rules to IPv4 packets, both to routed packets and to packets within a bridge. br_netfilter, which the bridges enable, passes
 * packets within a bridge to the inet table. The bridge table cannot apply these rules: connection tracking in the bridge family needs
 * CONFIG_NF_CONNTRACK_BRIDGE, which some kernels lack, such as the one measured (6.18). The inet table does not know the port of a packet.
 * But it can rely on the packet's addresses, because the bridge table has verified them.
 */
const [inetTable, bridgeTable] = [`inet ${prefix}fw`, `bridge ${prefix}fw`];
const bridges = `"${prefix}b*"`;
const ports = `"${prefix}p*"`;

export interface Protection {
  readonly groups: readonly Group[];
  readonly ports: readonly ProtectedPort[];
}

type Direction = "ingress" | "egress";

interface PlannedPort extends ProtectedPort {
  readonly link: string;
  readonly id: string;
  readonly rules: readonly Rule[];
}

/** Renders the ruleset for all ports and groups of the host. The same input always produces the same text. */
export function renderRuleset(protection: Protection): string {
  const byUid = new Map(protection.groups.map((group) => [group.uid, group]));
  const planned = protection.ports
    .map((port): PlannedPort => {
      const link = nameObject("port", port.uid);
      const rules = port.groups.flatMap((uid) => byUid.get(uid)?.rules ?? []);
      return { ...port, link: `"${link}"`, id: link.slice(prefix.length + 1), rules };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const sets = renderGroups(protection);
  return renderBridgeTable(planned, sets) + renderInetTable(planned, sets);
}

/** Renders the commands that remove all firewall rules. */
export function renderNoRuleset(): string {
  return `${[...renderDeletion(bridgeTable), ...renderDeletion(inetTable)].join("\n")}\n`;
}

function renderBridgeTable(planned: readonly PlannedPort[], sets: readonly string[][]): string {
  const identities = planned.map(({ link, mac, address }) => `${link} . ${mac} . ${address}`);
  // Without egress rules, everything outbound is allowed.
  const limited = planned.filter(hasEgress);
  const askable = planned.filter(({ rules }) => rules.some((rule) => isArp(rule) && !isEgress(rule)));
  return renderTable(bridgeTable, [
    renderSet("identities", "ifname . ether_addr . ipv4_addr", identities),
    renderSet("links", "ifname", planned.map(({ link }) => link)), // prettier-ignore
    ...sets,
    ...askable.map(({ id, rules }) => renderChain(`arp_in_${id}`, [...renderArp(rules, "ingress"), "drop"])),
    ...limited.map(({ id, rules }) => renderChain(`arp_out_${id}`, [...renderArp(rules, "egress"), "drop"])),
    renderJumps("arp_in", "ifname", askable.map(({ link, id }) => [link, `arp_in_${id}`] as const)), // prettier-ignore
    renderJumps("arp_out", "ifname", limited.map(({ link, id }) => [link, `arp_out_${id}`] as const)), // prettier-ignore
    renderChain("prerouting", [
      "type filter hook prerouting priority -200; policy accept;",
      `iifname != ${ports} accept`,
      "ether type ip iifname . ether saddr . ip saddr @identities accept",
      "ether type arp iifname . ether saddr . arp saddr ip @identities iifname . arp saddr ether . arp saddr ip @identities accept",
      "drop",
    ]),
    // Handles frames between two ports, and between a port and another host. ARP between a port and its gateway passes the hooks input and
    // output instead.
    renderChain("forward", [
      "type filter hook forward priority -200; policy accept;",
      "ether type arp iifname vmap @arp_out",
      `oifname != ${ports} accept`,
      "ether type ip oifname . ether daddr . ip daddr @identities accept",
      "ether type arp oifname vmap @arp_in",
      "drop",
    ]),
    renderChain("output", [
      "type filter hook output priority -200; policy accept;",
      `oifname != ${ports} accept`,
      "ether type ip oifname . ether daddr . ip daddr @identities accept",
      "ether type arp oifname @links accept",
      "drop",
    ]),
  ]);
}

function renderInetTable(planned: readonly PlannedPort[], sets: readonly string[][]): string {
  const limited = planned.filter(hasEgress);
  return renderTable(inetTable, [
    ...sets,
    ...limited.map(({ id, rules }) => renderChain(`out_${id}`, [...renderIp(rules, "egress", "return"), "drop"])),
    ...planned.map(({ id, rules }) => renderChain(`in_${id}`, [...renderIp(rules, "ingress", "accept"), "drop"])),
    renderJumps("outbound", "ipv4_addr", limited.map(({ address, id }) => [address, `out_${id}`] as const)), // prettier-ignore
    renderJumps("inbound", "ipv4_addr", planned.map(({ address, id }) => [address, `in_${id}`] as const)), // prettier-ignore
    renderChain("forward", [
      "type filter hook forward priority filter; policy accept;",
      `iifname != ${bridges} oifname != ${bridges} accept`,
      "meta nfproto != ipv4 drop",
      "ct state invalid drop",
      // Only reply packets skip the rules. Packets from the side that opened a connection are always checked, so removing a rule cuts its
      // connections.
      "ct direction reply ct state established accept",
      "ct state related accept",
      `iifname ${bridges} ip saddr vmap @outbound`,
      // An address without a port on this host belongs to another host, which applies its own rules.
      `oifname ${bridges} ip daddr vmap @inbound`,
    ]),
  ]);
}

/** Renders a set of member addresses for each group that a rule names as its source. The set of a group without members is empty. */
function renderGroups({ groups, ports: members }: Protection): string[][] {
  const named = groups.flatMap(({ rules }) => rules.flatMap(({ source }) => ("group" in source ? [source.group] : [])));
  return unique(named)
    .toSorted()
    .map((uid) => {
      const local = members.flatMap((member) => (member.groups.includes(uid) ? [member.address] : []));
      return renderSet(setName(uid), "ipv4_addr", [
        ...local,
        ...(groups.find((group) => group.uid === uid)?.remoteMembers ?? []),
      ]);
    });
}

function renderIp(rules: readonly Rule[], direction: Direction, verdict: string): string[] {
  const ofDirection = rules.filter((rule) => !isArp(rule) && isEgress(rule) === (direction === "egress"));
  const field = direction === "egress" ? "ip daddr" : "ip saddr";
  return unique(ofDirection.map((rule) => `${renderSource(rule, field)}${renderProtocol(rule)}${verdict}`));
}

function renderArp(rules: readonly Rule[], direction: Direction): string[] {
  const ofDirection = rules.filter((rule) => isArp(rule) && isEgress(rule) === (direction === "egress"));
  const [field, verdict] = direction === "egress" ? ["arp daddr ip", "return"] : ["arp saddr ip", "accept"];
  return unique(ofDirection.map((rule) => `${renderSource(rule, field)}${verdict}`));
}

function renderProtocol({ protocol, fromPort, toPort = fromPort }: Rule): string {
  if (protocol === "all") return "";
  if (fromPort === undefined) return `meta l4proto ${protocol} `;
  return fromPort === toPort ? `${protocol} dport ${fromPort} ` : `${protocol} dport ${fromPort}-${toPort} `;
}

function renderSource({ source }: Rule, field: string): string {
  if ("group" in source) return `${field} @${setName(source.group)} `;
  const range = parseAnyRange(source.cidr) as Ipv4Range;
  return range.prefix === 0 ? "" : `${field} ${renderRange(range)} `;
}

const setName = (uid: string): string => nameObject("set", uid);
const isArp = ({ protocol }: Rule): boolean => protocol === "arp";
const isEgress = ({ direction }: Rule): boolean => direction === "egress";
const hasEgress = ({ rules }: PlannedPort): boolean => rules.some(isEgress);
const unique = (lines: readonly string[]): string[] => [...new Set(lines)];
