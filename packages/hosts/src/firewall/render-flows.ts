import { parseAnyRange, renderRange, type Ipv4Range } from "@cloudwright/platform";
import { nameObject } from "../names.ts";
import { splitPorts } from "./split-ports.ts";
import type { Group, ProtectedPort, Rule } from "./rules.ts";

/*
 * The flows of a switch do for its network what the ruleset of nftables does for bridges. They accept frames only with the port's own MAC
 * and address, apply the groups' rules between instances, and drop everything else, such as IPv6 and VLAN frames. The host is trusted: what
 * it sends to instances, and what they send to it or beyond, passes its own stack, where the ruleset applies the rules.
 */
const tables = { fromPort: 0, ip: 10, tracked: 11, ingress: 12, deliver: 13, arp: 20, arpIngress: 21, fromHost: 30 } as const;
/** Connection-tracking zone of our switches. The ranges of networks never overlap, so one zone is enough for all of them. */
const zone = 0x63_77;

/** A network whose ports are connected by Open vSwitch. */
export interface SwitchedNetwork {
  readonly uid: string;
  readonly gateway: string;
  readonly gatewayMac: string;
}

interface Protection {
  readonly groups: readonly Group[];
  /** Ports of all networks, because rules may name groups with members in other networks. */
  readonly ports: readonly ProtectedPort[];
  /** Names of the interfaces that are connected to the switch. Flows cannot name others. */
  readonly connected: ReadonlySet<string>;
}

interface PlannedPort extends ProtectedPort {
  readonly link: string;
  readonly rules: readonly Rule[];
}

/** Renders the flows of one switch, one per line. The same input always produces the same text. */
export function renderFlows({ groups, ports, connected }: Protection, network: SwitchedNetwork): string {
  const byUid = new Map(groups.map((group) => [group.uid, group]));
  const planned = ports
    .filter((port) => port.network === network.uid)
    .map((port): PlannedPort => {
      const rules = port.groups.flatMap((uid) => byUid.get(uid)?.rules ?? []);
      return { ...port, link: nameObject("port", port.uid), rules };
    })
    .filter(({ link }) => connected.has(link));
  const members = (uid: string): string[] => [
    ...ports.flatMap((port) => (port.groups.includes(uid) ? [port.address] : [])),
    ...(byUid.get(uid)?.remoteMembers ?? []),
  ];
  const flows = [...renderFixed(network), ...planned.flatMap((port) => renderPort(port, members))];
  return `${[...new Set(flows)].toSorted().join("\n")}\n`;
}

function renderFixed({ gateway, gatewayMac }: SwitchedNetwork): string[] {
  const { ip, tracked, ingress, deliver, arp, arpIngress, fromPort, fromHost } = tables;
  return [
    flow(fromPort, 100, "in_port=LOCAL", `resubmit(,${fromHost})`),
    flow(ip, 100, `dl_dst=${gatewayMac}`, "LOCAL"),
    flow(ip, 50, "ip", `ct(table=${tracked},zone=${zone})`),
    flow(tracked, 100, "ip,ct_state=+trk+inv", "drop"),
    // Only replies skip the rules. Packets from the side that opened a connection are always checked, so removing a rule cuts its connections.
    flow(tracked, 90, "ip,ct_state=+trk+est+rpl", `resubmit(,${deliver})`),
    flow(tracked, 90, "ip,ct_state=+trk+rel", `resubmit(,${deliver})`),
    flow(tracked, 10, "ip", `resubmit(,${ingress})`),
    flow(arp, 100, `arp,dl_dst=${gatewayMac}`, "LOCAL"),
    flow(arp, 100, `arp,arp_tpa=${gateway}`, "LOCAL"),
    flow(arp, 10, "arp", `resubmit(,${arpIngress})`),
  ];
}

function renderPort(port: PlannedPort, members: (group: string) => readonly string[]): string[] {
  const { link, mac, address, rules } = port;
  const { fromPort, ip, tracked, ingress, deliver, arp, arpIngress, fromHost } = tables;
  const isLimited = rules.some(isEgress);
  const commit = `ct(commit,zone=${zone}),resubmit(,${deliver})`;
  const egress = rules.filter(isEgress);
  const inbound = rules.filter((rule) => !isEgress(rule));
  const limit = [
    ...matchIp(egress, "nw_dst", members).map((match) => flow(tracked, 50, `in_port=${link},${match}`, `resubmit(,${ingress})`)),
    flow(tracked, 40, `in_port=${link}`, "drop"),
    ...matchArp(egress, "arp_tpa", members).map((match) => flow(arp, 50, `in_port=${link},${match}`, `resubmit(,${arpIngress})`)),
    flow(arp, 40, `in_port=${link}`, "drop"),
  ];
  return [
    flow(fromPort, 90, `in_port=${link},ip,vlan_tci=0,dl_src=${mac},nw_src=${address}`, `resubmit(,${ip})`),
    flow(fromPort, 90, `in_port=${link},arp,vlan_tci=0,dl_src=${mac},arp_sha=${mac},arp_spa=${address}`, `resubmit(,${arp})`),
    ...(isLimited ? limit : []),
    ...matchIp(inbound, "nw_src", members, `dl_dst=${mac},nw_dst=${address}`).map((match) => flow(ingress, 50, match, commit)),
    flow(deliver, 50, `ip,dl_dst=${mac},nw_dst=${address}`, `output:${link}`),
    ...matchArp(inbound, "arp_spa", members).map((match) => flow(arpIngress, 50, `${match},arp_tpa=${address}`, `output:${link}`)), // prettier-ignore
    flow(fromHost, 50, `ip,dl_dst=${mac},nw_dst=${address}`, `output:${link}`),
    flow(fromHost, 50, `arp,arp_tpa=${address}`, `output:${link}`),
  ];
}

/** Returns the matches of the IP rules. The protocol comes first, because the other fields depend on it. */
function matchIp(
  rules: readonly Rule[],
  field: "nw_src" | "nw_dst",
  members: (group: string) => readonly string[],
  extra?: string,
): string[] {
  return rules
    .filter((rule) => !isArp(rule))
    .flatMap((rule) =>
      matchPeers(rule, field, members).flatMap((peer) =>
        matchPorts(rule).map((ports) =>
          [rule.protocol === "all" ? "ip" : rule.protocol, ports, peer, extra].filter(Boolean).join(","),
        ),
      ),
    );
}

function matchArp(rules: readonly Rule[], field: "arp_spa" | "arp_tpa", members: (group: string) => readonly string[]): string[] {
  return rules
    .filter(isArp)
    .flatMap((rule) => matchPeers(rule, field, members).map((peer) => ["arp", peer].filter(Boolean).join(",")));
}

/** Returns one match per peer of a rule. The empty match stands for any peer. */
function matchPeers({ source }: Rule, field: string, members: (group: string) => readonly string[]): string[] {
  if ("group" in source) return members(source.group).map((address) => `${field}=${address}`);
  const range = parseAnyRange(source.cidr) as Ipv4Range;
  return [range.prefix === 0 ? "" : `${field}=${renderRange(range)}`];
}

function matchPorts({ fromPort, toPort = fromPort }: Rule): string[] {
  if (fromPort === undefined || toPort === undefined) return [""];
  return splitPorts(fromPort, toPort).map((part) => `tp_dst=${part}`);
}

function flow(table: number, priority: number, match: string, actions: string): string {
  return `table=${table},priority=${priority},${match},actions=${actions}`;
}

const isArp = ({ protocol }: Rule): boolean => protocol === "arp";
const isEgress = ({ direction }: Rule): boolean => direction === "egress";
