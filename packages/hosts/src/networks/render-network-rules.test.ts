import { expect, test } from "vitest";
import { renderNetworkRules } from "./render-network-rules.ts";

test("the rules of networks isolate them, translate addresses and protect the host", async () => {
  const networks = [
    { uid: "open", cidr: "10.0.0.0/24", nat: true, vxlan: { id: 7, peers: ["192.0.2.8", "192.0.2.7"] } },
    { uid: "closed", cidr: "10.1.0.0/16", nat: false },
  ];
  await expect(renderNetworkRules({ networks, hostRoutes: false })).toMatchFileSnapshot("fixtures/networks.nft");
  expect(renderNetworkRules({ networks: [], hostRoutes: true })).not.toContain("masquerade");
});
