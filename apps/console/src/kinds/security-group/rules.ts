import type { EntityByKind } from "@cloudwright/api-client";

type Rule = NonNullable<NonNullable<EntityByKind["SecurityGroup"]["spec"]>["rules"]>[number];

/** One rule in the form. `peer` is an address range, the name of a security group, or `self`. */
export interface RuleValues {
  readonly direction: "ingress" | "egress";
  readonly protocol: string;
  readonly fromPort: number | "";
  readonly toPort: number | "";
  readonly peer: string;
}

/** One rule as text for display. */
export interface RuleText {
  readonly direction: string;
  readonly protocol: string;
  readonly ports: string;
  readonly peer: string;
}

export const protocols = ["tcp", "udp", "icmp", "arp", "all"];

export const newRule: RuleValues = { direction: "ingress", protocol: "tcp", fromPort: "", toPort: "", peer: "0.0.0.0/0" };

/** Returns whether rules for this protocol can have ports. */
export function hasPorts(protocol: string): boolean {
  return protocol === "tcp" || protocol === "udp";
}

/** Builds a rule of the spec. A peer with a slash is an address range, because names cannot contain one. */
export function buildRule({ direction, protocol, fromPort, toPort, peer }: RuleValues): object {
  const withPorts = hasPorts(protocol);
  return {
    direction,
    protocol,
    ...(withPorts && fromPort !== "" ? { fromPort } : {}),
    ...(withPorts && toPort !== "" ? { toPort } : {}),
    ...(peer.includes("/") ? { cidr: peer } : { group: peer }),
  };
}

/** Reads the rules of a spec. Returns undefined if the form cannot show all of them. */
export function parseRules(rules: unknown): readonly RuleValues[] | undefined {
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) return undefined;
  const parsed = rules.map(parseRule);
  return parsed.every((rule) => rule !== undefined) ? parsed : undefined;
}

const known = new Set(["direction", "protocol", "fromPort", "toPort", "cidr", "group"]);

function parseRule(rule: unknown): RuleValues | undefined {
  if (typeof rule !== "object" || rule === null || Object.keys(rule).some((key) => !known.has(key))) return undefined;
  const { direction = "ingress", protocol = "", fromPort = 0, toPort = 0, cidr = "", group = "" } = rule as Rule;
  const isShown = protocols.includes(protocol) && (cidr === "") !== (group === "");
  if (!isShown || (direction !== "ingress" && direction !== "egress" && direction !== "")) return undefined;
  return { direction: direction || "ingress", protocol, fromPort: fromPort || "", toPort: toPort || "", peer: cidr || group };
}

export function renderRule({ direction, protocol = "", fromPort = 0, toPort = 0, cidr, group }: Rule): RuleText {
  const range = toPort === 0 || toPort === fromPort ? String(fromPort) : `${fromPort}–${toPort}`;
  const all = hasPorts(protocol) ? "all" : "";
  return { direction: direction || "ingress", protocol, ports: fromPort === 0 ? all : range, peer: cidr || group || "" };
}
