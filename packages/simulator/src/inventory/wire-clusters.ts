import { Secret } from "@cloudwright/platform";
import type { DescribeClusterApi } from "../aws/eks/clusters.ts";
import { createWireSender, type WireOptions } from "./wire-sender.ts";

/** The Kubernetes APIs of clusters in the clouds that the control plane keeps. */
export interface WireClusters {
  /** Where the API of a cluster answers, from before the cluster is there. Asked again, it is the same. */
  readonly describeClusterApi: DescribeClusterApi;
  /** A token with all rights; only for as long as the run's lease is held. */
  getToken(cluster: { readonly tenant: string; readonly region: string; readonly name: string }): Promise<Secret>;
}

/** Asks the control plane. */
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
