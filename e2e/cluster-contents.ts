import { createKubeClient, type KubeObject } from "@cloudwright/kube";
import { readKubeconfig } from "@cloudwright/kube/testing";
import type { AdminCalls } from "./admin-calls.ts";
import { openSimulatedCloud } from "./simulated-cloud.ts";
import { waitUntil } from "./wait-until.ts";

const metadata = (name: string) => ({ name, namespace: "default" });
const volume = { name: "v", persistentVolumeClaim: { claimName: "data" } };
const container = { name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] };

/** Objects for which a cluster creates a load balancer and a volume in its cloud. */
const objects: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "Service", metadata: metadata("web"), spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: metadata("data"),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  { apiVersion: "v1", kind: "Pod", metadata: metadata("user"), spec: { containers: [container], volumes: [volume] } },
];

/** Makes a simulated cluster create a load balancer and a volume. Waits until the account contains both. */
export async function fillCluster(calls: AdminCalls, cluster: string, account: string): Promise<void> {
  const project = "/v1/projects/default";
  const answer = await calls.send("POST", `${project}/clusters/${cluster}:kubeconfig`, {});
  const client = createKubeClient(readKubeconfig(((await answer.json()) as { kubeconfig: string }).kubeconfig));
  try {
    for (const object of objects) await client.apply(object);
  } finally {
    client.close();
  }
  const cloud = openSimulatedCloud(() => calls, `${project}/accounts/${account}`);
  await waitUntil("the load balancer and the volume are in the account", async () => {
    const types = (await cloud.list()).map(({ type }) => type);
    return types.includes("aws_lb") && types.includes("aws_ebs_volume");
  });
}
