import { nameObject } from "../../names.ts";
import { runTool } from "../../run-tool.ts";
import type { InstancePort } from "../driver.ts";

/** A bridge with ports, for tests that use instances without `Networks`. */
export interface TestNetwork {
  /** Creates the port of an instance, or returns the existing one. */
  port(uid: string): Promise<InstancePort>;
  removePort(uid: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a network in the current network namespace, which must have been created for the test. */
export async function createTestNetwork(): Promise<TestNetwork> {
  const bridge = nameObject("bridge", "test");
  const gateway = "10.77.0.1";
  const addresses = new Map<string, number>();
  const ip = (...args: string[]): Promise<unknown> => runTool("ip", args);
  await ip("link", "add", bridge, "type", "bridge");
  await ip("address", "add", `${gateway}/24`, "dev", bridge);
  await ip("link", "set", bridge, "up");
  return {
    async port(uid) {
      const isNew = !addresses.has(uid);
      if (isNew) addresses.set(uid, addresses.size + 10);
      const last = addresses.get(uid) as number;
      const mac = `02:00:00:00:00:${last.toString(16).padStart(2, "0")}`;
      const namespace = nameObject("namespace", uid);
      if (isNew) {
        const outer = nameObject("port", uid);
        await ip("netns", "add", namespace);
        await ip("link", "add", outer, "type", "veth", "peer", "name", "host0", "address", mac, "netns", namespace);
        await ip("link", "set", outer, "master", bridge, "up");
      }
      return { namespace, address: `10.77.0.${last}`, prefixLength: 24, gateway, mac, dns: [gateway] };
    },
    async removePort(uid) {
      if (addresses.delete(uid)) await ip("netns", "delete", nameObject("namespace", uid));
    },
    async remove() {
      for (const uid of addresses.keys()) await ip("netns", "delete", nameObject("namespace", uid));
      await ip("link", "delete", bridge);
    },
  };
}
