import { expect, test } from "vitest";
import { nameObject } from "../names.ts";
import { renderFlows } from "./render-flows.ts";
import type { Group, ProtectedPort } from "./rules.ts";

const network = { uid: "n", gateway: "10.0.0.1", gatewayMac: "02:00:00:00:00:01" };
const anywhere = { cidr: "0.0.0.0/0" };
const web: Group = {
  uid: "web",
  rules: [
    { protocol: "tcp", fromPort: 8000, toPort: 8003, source: anywhere },
    { protocol: "udp", fromPort: 53, source: { group: "web" } },
    { protocol: "arp", source: anywhere },
  ],
  remoteMembers: ["10.0.0.9"],
};
const limited: Group = { uid: "limited", rules: [{ direction: "egress", protocol: "all", source: { cidr: "10.0.0.0/25" } }] };
const ports: ProtectedPort[] = [
  { uid: "a", network: "n", address: "10.0.0.2", mac: "02:00:00:00:00:0a", groups: ["web"] },
  { uid: "b", network: "n", address: "10.0.0.3", mac: "02:00:00:00:00:0b", groups: ["web", "limited"] },
  { uid: "c", network: "other", address: "10.1.0.2", mac: "02:00:00:00:00:0c", groups: ["web"] },
];
const connected = new Set(ports.map(({ uid }) => nameObject("port", uid)));

test("M177 the flows of a switch match the fixture", async () => {
  await expect(renderFlows({ groups: [web, limited], ports, connected }, network)).toMatchFileSnapshot("fixtures/flows.txt");
});

test("M177 flows name only interfaces that are connected to the switch", () => {
  const flows = renderFlows({ groups: [web, limited], ports, connected: new Set([nameObject("port", "a")]) }, network);
  expect(flows).toContain(nameObject("port", "a"));
  expect(flows).not.toContain(nameObject("port", "b"));
  expect(flows).not.toContain(nameObject("port", "c"));
});

test("M177 a switch without known instances passes nothing between its interfaces", () => {
  expect(renderFlows({ groups: [], ports: [], connected }, network)).not.toContain("output:");
});
