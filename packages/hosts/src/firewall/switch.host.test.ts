import { startOpenVswitch } from "../networks/testing/open-vswitch.ts";
import { afterAll, describe } from "vitest";
import { describeFirewall } from "./testing/firewall-suite.ts";

const openVswitch = await startOpenVswitch();
if (openVswitch.problem !== undefined) console.log(`skipped: the firewall of switches, because ${openVswitch.problem}`);
afterAll(openVswitch.stop);

describe.skipIf(openVswitch.problem !== undefined)("M177 a network of Open vSwitch", () => {
  describeFirewall("ovs");
});
