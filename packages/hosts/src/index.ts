/**
 * Turns a Linux machine into a host of a small cloud: images, instances, networks, firewalls and volumes, made of what the kernel and the
 * distribution offer. Every operation can be repeated: it finds what an interrupted attempt left and continues. This package knows no
 * entity, no API and no database.
 */
export { hostsFaults } from "./faults.ts";
export { nameObject, prefix } from "./names.ts";
export { openRecords, type Records } from "./records.ts";
export { runTool, type ToolOptions, type ToolResult } from "./run-tool.ts";
export { openFirewall, type Firewall } from "./firewall/firewall.ts";
export { checkGroup, type Group, type ProtectedPort, type Rule } from "./firewall/rules.ts";
export type { Network, Port, PortSpec, Vxlan } from "./networks/network.ts";
export { openNetworks, type Networks } from "./networks/networks.ts";
