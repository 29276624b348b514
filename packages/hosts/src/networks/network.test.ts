import { expect, test } from "vitest";
import { checkHostName, checkNetwork, type Network } from "./network.ts";

const network: Network = { uid: "n1", cidr: "10.0.0.0/24", nat: true };

test("networks with valid settings are accepted", () => {
  const vxlan = { id: 0xff_ff_ff, peers: ["192.0.2.1"] };
  expect(() => checkNetwork(network)).not.toThrow();
  expect(() => checkNetwork({ ...network, domain: "prod.internal", vxlan })).not.toThrow();
});

test.each<Partial<Network>>([
  { domain: "" },
  { domain: "Prod" },
  { domain: "a..b" },
  { domain: "a/b" },
  { domain: "-a" },
  { domain: `${"a".repeat(60)}.`.repeat(4) },
  { vxlan: { id: 0, peers: [] } },
  { vxlan: { id: 1.5, peers: [] } },
  { vxlan: { id: 0x1_00_00_00, peers: [] } },
  { vxlan: { id: 1, peers: ["192.0.2.1/32"] } },
  { vxlan: { id: 1, peers: ["peer"] } },
  { vxlan: { id: 1, peers: ["fd00::1"] } },
])("a network with %j is rejected", (bad) =>
  expect(() => checkNetwork({ ...network, ...bad })).toThrow(expect.objectContaining({ code: "hosts.bad_network" })),
);

test.each(["", "A", "a b", "a\n1.2.3.4 b", "a.b", "-a", "a-", "a_b", "a".repeat(64)])("the host name %j is rejected", (name) =>
  expect(() => checkHostName({ uid: "p1", network: "n1", name })).toThrow(expect.objectContaining({ code: "hosts.bad_port" })),
);
