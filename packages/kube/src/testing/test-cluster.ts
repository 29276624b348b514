import { Secret } from "@cloudwright/platform";
import {
  createMemoryObjects,
  startKubernetesHost,
  type CloudHooks,
  type KubernetesHost,
  type SimulatedNode,
} from "@cloudwright/simulator";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { createKubeClient, type KubeClient } from "../create-client.ts";
import type { KubeAccess } from "../transport.ts";

/** A test cluster with administrator access. */
export interface TestCluster {
  readonly access: KubeAccess;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Opens an in-memory simulated cluster named `one`, in which every operation completes immediately. */
export async function openSimulatedCluster(
  nodes: readonly SimulatedNode[] = [],
  hooks?: CloudHooks,
): Promise<TestCluster & { readonly host: KubernetesHost }> {
  const host = await startKubernetesHost({
    listen: { host: "127.0.0.1", port: 0 },
    store: createMemoryObjects(),
    secret: new Secret("test"),
    timeScale: 0,
    ...(hooks === undefined ? {} : { hooks }),
  });
  await host.createCluster("one", { version: "v1.34.1" });
  await host.setNodes("one", nodes);
  const access = readKubeconfig(await host.getKubeconfig("one", "admin"));
  const client = createKubeClient(access);
  return {
    host,
    access,
    client,
    async close() {
      client.close();
      await host.close();
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: {
      readonly server: string;
      readonly "certificate-authority"?: string;
      readonly "certificate-authority-data"?: string;
    };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** Extracts the server address, certificate authority and token from a kubeconfig with a single cluster. */
export function readKubeconfig(text: string): KubeAccess {
  const { clusters, users } = parse(text) as Kubeconfig;
  const cluster = clusters[0]?.cluster;
  const token = new Secret(users[0]?.user.token ?? "");
  const data = cluster?.["certificate-authority-data"];
  const caPem =
    data === undefined ? readFileSync(cluster?.["certificate-authority"] ?? "", "utf8") : Buffer.from(data, "base64").toString();
  return { server: cluster?.server ?? "", caPem, token: async () => token };
}
