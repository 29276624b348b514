import { Secret } from "@cloudwright/platform";
import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import { createWireSender, type WireOptions } from "./wire-sender.ts";

/** Access to the Kubernetes APIs of simulated clusters that the control plane hosts. */
export interface WireClusters {
  /** Returns the address of a cluster's API, even before the cluster exists. Repeated calls return the same address. */
  readonly describeClusterApi: DescribeClusterApi;
  /** Returns a token with full access to the cluster. Fails if the run's task is no longer leased. */
  getToken(cluster: { readonly tenant: string; readonly region: string; readonly name: string }): Promise<Secret>;
}

/** Creates a client that requests cluster addresses and tokens from the control plane. */
export function createWireClusters(options: WireOptions): WireClusters {
  const send = createWireSender(options);
  return {
    async describeClusterApi({ tenant, region, name }) {
      const { body } = await send(tenant, "clusters", JSON.stringify({ region, name }));
      const { endpoint, caPem } = body as { endpoint: string; caPem: string };
      return { endpoint, caPem };
    },
    async getToken({ tenant, region, name }) {
      const { body } = await send(tenant, "clusters/tokens", JSON.stringify({ region, name }));
      return new Secret((body as { token: string }).token);
    },
  };
}
