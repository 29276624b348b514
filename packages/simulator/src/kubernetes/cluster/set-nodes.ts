import type { AwakeCluster } from "./awake-cluster.ts";
import { timeText } from "./kube-object.ts";
import { makeObject } from "./make-object.ts";

/** A machine that should become a node. */
export interface SimulatedNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** The machine's id in the cloud. */
  readonly providerId?: string;
  readonly instanceType?: string;
  readonly region?: string;
  readonly zone?: string;
  readonly internalIp?: string;
  readonly externalIp?: string;
  readonly cpu?: number;
  readonly memoryGiB?: number;
  /** The kubelet's version. Default: the cluster's version. */
  readonly version?: string;
}

/**
 * Makes exactly these machines the cluster's nodes. New nodes are not ready at first. Nodes that are not listed are removed with their
 * pods.
 */
export function setNodes(cluster: AwakeCluster, wanted: readonly SimulatedNode[]): void {
  const { state } = cluster;
  const names = new Set(wanted.map(({ name }) => name));
  for (const { metadata } of state.list("nodes")) {
    const isOurs = metadata.annotations?.["cloudwright.dev/simulated"] === "true";
    if (isOurs && !names.has(metadata.name)) state.remove("nodes", "", metadata.name);
  }
  wanted.forEach((node, index) => makeNode(cluster, node, index));
}

function makeNode(cluster: AwakeCluster, node: SimulatedNode, index: number): void {
  const now = timeText(cluster.clock.now());
  const { name, cpu = 2, memoryGiB = 8 } = node;
  const capacity = {
    cpu: String(cpu),
    memory: `${Math.round(memoryGiB * 1024 * 1024)}Ki`,
    pods: "110",
    "ephemeral-storage": "20959212Ki",
  };
  const version = node.version ?? cluster.record.version;
  const internal = node.internalIp ?? `10.0.${index >> 8}.${(index & 255) + 4}`;
  const healthy = (type: string, reason: string): object => ({
    type,
    status: "False",
    reason,
    message: `kubelet has ${reason.replace("KubeletHas", "")}`,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  makeObject(cluster, "nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "cloudwright.dev/simulated": "true" },
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...(node.instanceType !== undefined && { "node.kubernetes.io/instance-type": node.instanceType }),
        ...(node.region !== undefined && { "topology.kubernetes.io/region": node.region }),
        ...(node.zone !== undefined && { "topology.kubernetes.io/zone": node.zone }),
        ...node.labels,
      },
    },
    spec: {
      ...(node.providerId !== undefined && { providerID: node.providerId }),
      taints: [...(node.taints ?? []), { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
    },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: "InternalIP", address: internal },
        ...(node.externalIp === undefined ? [] : [{ type: "ExternalIP", address: node.externalIp }]),
        { type: "Hostname", address: name },
      ],
      conditions: [
        healthy("MemoryPressure", "KubeletHasSufficientMemory"),
        healthy("DiskPressure", "KubeletHasNoDiskPressure"),
        healthy("PIDPressure", "KubeletHasSufficientPID"),
        {
          type: "Ready",
          status: "False",
          reason: "KubeletNotReady",
          message: "simulated: the node is starting",
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "simulated",
        containerRuntimeVersion: "containerd://1.7.27",
        kernelVersion: "6.1.0-simulated",
        kubeProxyVersion: version,
        kubeletVersion: version,
        machineID: "simulated",
        operatingSystem: "linux",
        osImage: "Simulated Linux",
        systemUUID: "simulated",
      },
    },
  });
}
