import { afterAll, describe, expect, test } from "vitest";
import { openNetworks } from "../networks/networks.ts";
import { listConnected } from "../networks/switches.ts";
import { killAfterEachTool } from "../networks/testing/kill-after-each-tool.ts";
import { startOpenVswitch } from "../networks/testing/open-vswitch.ts";
import { createHost, newUid, requireNothingLeft } from "../networks/testing/world.ts";
import { describeFirewall } from "./testing/firewall-suite.ts";

const openVswitch = await startOpenVswitch();
if (openVswitch.problem !== undefined) console.log(`skipped: the firewall of switches, because ${openVswitch.problem}`);
afterAll(openVswitch.stop);

describe.skipIf(openVswitch.problem !== undefined)("M177 a network of Open vSwitch", () => {
  describeFirewall("ovs");
});

test.skipIf(openVswitch.problem !== undefined)(
  "M177 an operation on a switch that is killed after any of its tools is completed by repeating it",
  async () => {
    const host = await createHost();
    const network = { uid: newUid(), cidr: "10.70.0.0/24", nat: true, switch: "ovs" as const };
    const kills = await killAfterEachTool(host, network, async (_namespace, isAttached) => {
      expect(await listConnected(host, network.uid, undefined)).toHaveLength(isAttached ? 1 : 0);
    });
    expect(kills).toBeGreaterThan(20);
    await (await openNetworks(host)).clean();
    requireNothingLeft(host.directory);
    await host.remove();
  },
);
