import { Fault, share } from "@cloudwright/platform";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { createSerializer } from "../serialize.ts";
import type { Network } from "../networks/network.ts";
import type { Signal } from "../networks/signal.ts";
import { openRecords } from "../records.ts";
import { loadFlows } from "./load-flows.ts";
import { renderNoRuleset, renderRuleset } from "./render-ruleset.ts";
import { checkGroup, checkProtectedPort, type Group, type ProtectedPort } from "./rules.ts";

/**
 * Enforces security groups on the host, outside the instances. A change is in effect when its promise resolves, and requires no change
 * inside the instances. Connections that the new rules allow continue. All other connections are cut.
 *
 * The host can always reach its instances, whatever the rules say, because the platform manages instances from the host. Instances can
 * always resolve the MAC address of their gateway and use its name server. IPv6 and multicast are dropped.
 */
export interface Firewall {
  /** Creates a group or replaces its rules. */
  setGroup(group: Group, signal?: Signal): Promise<void>;
  /** Deletes a group. Throws if a port uses the group. Rules of other groups that name it as their source then match nothing. */
  removeGroup(uid: string, signal?: Signal): Promise<void>;
  listGroups(): Promise<Group[]>;
  /** Allows the traffic that a port's groups allow. Before the first call for a port, all traffic from and to the port is dropped. */
  setPort(port: ProtectedPort, signal?: Signal): Promise<void>;
  removePort(uid: string, signal?: Signal): Promise<void>;
  listPorts(): Promise<ProtectedPort[]>;
  /**
   * Loads the rules for all groups and ports in one transaction, so there is no moment without rules. Must also be called after ports of a
   * switch were connected again, because its flows name them.
   */
  apply(signal?: Signal): Promise<void>;
  /** Loads the rules after a reboot of the host. Must be called before networks are restored, so that no packet passes unfiltered. */
  restore(signal?: Signal): Promise<void>;
  /** Removes all rules from the kernel, but keeps the records. */
  clean(signal?: Signal): Promise<void>;
}

/** `listNetworks` is absent on a host whose networks are bridges only. */
export async function openFirewall(
  { directory, run }: HostDeps,
  listNetworks: () => Promise<readonly Network[]> = async () => [],
): Promise<Firewall> {
  const groups = await openRecords<Group>(join(directory, "groups"));
  const ports = await openRecords<ProtectedPort>(join(directory, "protected-ports"));
  const serialize = createSerializer();
  const changing = <T>(work: () => Promise<T>): Promise<T> => serialize("records", work);
  const shareLoad = share<void>();

  /**
   * Concurrent changes share one load, which starts after all of them were recorded. The load ignores the callers' signals, because it
   * serves several callers.
   */
  async function apply(signal: Signal): Promise<void> {
    if (signal?.aborted === true)
      throw new Fault(hostsFaults.cancelled, "the firewall rules were not loaded, because the operation was cancelled");
    await shareLoad("load", async () => {
      const records = { groups: await groups.list(), ports: await ports.list() };
      // A host without instances and groups has no rules, so that nothing of ours stays on it.
      const isEmpty = records.groups.length === 0 && records.ports.length === 0;
      await run("nft", ["-f", "-"], { input: isEmpty ? renderNoRuleset() : renderRuleset(records) });
      await loadFlows({ run }, records, await listNetworks());
    });
  }

  return {
    async setGroup(group, signal) {
      checkGroup(group);
      await changing(() => groups.put(group.uid, group));
      await apply(signal);
    },
    async removeGroup(uid, signal) {
      await changing(async () => {
        const users = (await ports.list()).filter((port) => port.groups.includes(uid)).map((port) => port.uid);
        if (users.length > 0)
          throw new Fault(hostsFaults.group_in_use, `security group ${uid} is used by the instances ${users.join(", ")}`);
        await groups.delete(uid);
      });
      await apply(signal);
    },
    listGroups: () => groups.list(),
    async setPort(port, signal) {
      checkProtectedPort(port);
      await changing(async () => {
        for (const uid of port.groups)
          if ((await groups.find(uid)) === undefined)
            throw new Fault(hostsFaults.unknown_group, `port ${port.uid}: security group ${uid} does not exist on this host`);
        const namesake = (await ports.list()).find(({ uid, address }) => uid !== port.uid && address === port.address);
        if (namesake !== undefined)
          throw new Fault(
            hostsFaults.address_taken,
            `port ${port.uid}: address ${port.address} is already used by instance ${namesake.uid}; choose another address`,
          );
        const { uid, network, address, mac } = port;
        await ports.put(uid, { uid, network, address, mac, groups: port.groups });
      });
      await apply(signal);
    },
    async removePort(uid, signal) {
      await changing(() => ports.delete(uid));
      await apply(signal);
    },
    listPorts: () => ports.list(),
    apply,
    restore: apply,
    async clean(signal) {
      await run("nft", ["-f", "-"], { input: renderNoRuleset(), signal });
    },
  };
}
