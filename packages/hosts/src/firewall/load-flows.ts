import type { HostDeps } from "../host-deps.ts";
import { nameObject } from "../names.ts";
import { planAddresses } from "../networks/address-plan.ts";
import type { Network } from "../networks/network.ts";
import { gatewayMac } from "../networks/render-network-rules.ts";
import { listConnected } from "../networks/switches.ts";
import { renderFlows } from "./render-flows.ts";
import type { Group, ProtectedPort } from "./rules.ts";

/**
 * Loads the flows of all switches. Each switch gets its flows in one transaction. A switch that does not exist yet gets them after it was
 * created, and drops all packets until then.
 */
export async function loadFlows(
  deps: Pick<HostDeps, "run">,
  protection: { readonly groups: readonly Group[]; readonly ports: readonly ProtectedPort[] },
  networks: readonly Network[],
): Promise<void> {
  for (const network of networks.filter(({ switch: kind }) => kind === "ovs")) {
    const { uid } = network;
    const connected = new Set(await listConnected(deps, uid, undefined));
    if (connected.size === 0) continue;
    const { gateway } = planAddresses(network);
    const input = renderFlows({ ...protection, connected }, { uid, gateway, gatewayMac: gatewayMac(uid) });
    const bridge = nameObject("bridge", uid);
    await deps.run("ovs-ofctl", ["--protocols=OpenFlow14", "--bundle", "replace-flows", bridge, "-"], { input });
  }
}
