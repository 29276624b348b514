import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import type { RecordFlag } from "./record-flags.ts";

/** Creates a flag that adds a rule to a security group in short form, such as `--allow tcp:22:10.0.0.0/8`. */
export function createRuleFlag(name: string, direction: "ingress" | "egress"): RecordFlag {
  const peer = direction === "ingress" ? "SOURCE" : "DESTINATION";
  return {
    name,
    placeholder: "<rule>",
    description: `allow ${direction} traffic: PROTOCOL:PORTS:${peer}, for example tcp:22:10.0.0.0/8 or udp:8000-8080:web. PROTOCOL is tcp, udp, icmp, arp or all. Omit PORTS for all ports, and for icmp, arp and all: icmp:0.0.0.0/0. ${peer} is an IPv4 range, a security group in the same network, or self. Can be repeated. In an update, the given rules replace all others.`,
    field: "rules",
    parse: (text) => ({ direction, ...parseRule(`--${name}`, text) }),
  };
}

const protocols = ["tcp", "udp", "icmp", "arp", "all"];

function parseRule(flag: string, text: string): Record<string, unknown> {
  const [protocol = "", ...rest] = text.split(":");
  const peer = rest.at(-1) ?? "";
  if (!protocols.includes(protocol)) throw usage(flag, text, `"${protocol}" is not a protocol; use ${protocols.join(", ")}`);
  if (peer === "" || rest.length > 2) throw usage(flag, text, "write PROTOCOL:PORTS:PEER or PROTOCOL:PEER");
  if (/^[0-9.]+$/.test(peer)) throw usage(flag, text, `"${peer}" is not a range; write ${peer}/32 for a single address`);
  const [ports] = rest.length === 2 ? rest : [];
  return {
    protocol,
    ...(ports === undefined ? {} : parsePorts(flag, text, ports)),
    ...(peer.includes("/") ? { cidr: peer } : { group: peer }),
  };
}

function parsePorts(flag: string, text: string, ports: string): { readonly fromPort: number; readonly toPort: number } {
  const { first, last = first } = /^(?<first>[0-9]{1,5})(-(?<last>[0-9]{1,5}))?$/.exec(ports)?.groups ?? {};
  if (first === undefined) throw usage(flag, text, `"${ports}" is not a port such as 22 or a range such as 8000-8080`);
  const [fromPort, toPort] = [Number(first), Number(last)];
  // In a spec, 0 means that no port is set, and therefore that all ports are allowed.
  const wrong = [fromPort, toPort].find((port) => port < 1 || port > 65_535);
  if (wrong !== undefined) throw usage(flag, text, `${wrong} is not a port; use 1 to 65535, or omit PORTS for all ports`);
  return { fromPort, toPort };
}

function usage(flag: string, text: string, problem: string): Fault {
  return new Fault(cliFaults.usage, `${flag} "${text}": ${problem}, for example tcp:22:10.0.0.0/8`);
}
