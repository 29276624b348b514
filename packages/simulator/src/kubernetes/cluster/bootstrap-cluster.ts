import { defaultContents } from "../../cluster-contents.ts";
import { makeRoles } from "../rbac/bootstrap-roles.ts";
import type { AwakeCluster } from "./awake-cluster.ts";
import { makeObject } from "./make-object.ts";

const { networkPlugin, storageClass } = defaultContents;

/** Creates the initial objects of a managed cluster: namespaces, roles, the API service, DNS, proxies and a storage class. */
export function bootstrapCluster(cluster: AwakeCluster): void {
  for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
    makeObject(cluster, "namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  makeRoles(cluster);
  makeServices(cluster);
  makeWorkloads(cluster);
  makeStorage(cluster);
  for (const [name, value] of [
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ] as const) {
    makeObject(cluster, "priorityclasses.scheduling.k8s.io", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
      preemptionPolicy: "PreemptLowerPriority",
    });
  }
}

function makeServices(cluster: AwakeCluster): void {
  const labels = { component: "apiserver", provider: "kubernetes" };
  makeObject(cluster, "services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default", labels },
    spec: {
      clusterIP: "10.100.0.1",
      clusterIPs: ["10.100.0.1"],
      ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }],
    },
    status: { loadBalancer: {} },
  });
  makeObject(cluster, "services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: "kube-system", labels: { "k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS" } },
    spec: {
      clusterIP: "10.100.0.10",
      clusterIPs: ["10.100.0.10"],
      selector: { "k8s-app": "kube-dns" },
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
    status: { loadBalancer: {} },
  });
}

function makeWorkloads(cluster: AwakeCluster): void {
  const everywhere = [{ operator: "Exists" }];
  const version = cluster.record.version;
  const account = (name: string): void =>
    void makeObject(cluster, "serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace: "kube-system" },
    });
  for (const name of ["coredns", "kube-proxy", networkPlugin.name]) account(name);
  makeObject(
    cluster,
    "deployments.apps",
    workload(
      "Deployment",
      "coredns",
      "kube-dns",
      `registry.simulated/coredns:v1.11.4`,
      { replicas: 2 },
      {
        priorityClassName: "system-cluster-critical",
        tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
      },
    ),
  );
  const daemon = { hostNetwork: true, priorityClassName: "system-node-critical", tolerations: everywhere };
  makeObject(
    cluster,
    "daemonsets.apps",
    workload("DaemonSet", "kube-proxy", "kube-proxy", `registry.simulated/kube-proxy:${version}`, {}, daemon),
  );
  makeObject(
    cluster,
    "daemonsets.apps",
    workload("DaemonSet", networkPlugin.name, networkPlugin.name, networkPlugin.image, {}, daemon),
  );
}

function workload(kind: string, name: string, app: string, image: string, spec: object, pod: object) {
  const labels = { "k8s-app": app };
  const metadata = { name, namespace: "kube-system", labels };
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers: [{ name, image }], ...pod } };
  return { apiVersion: "apps/v1", kind, metadata, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

function makeStorage(cluster: AwakeCluster): void {
  makeObject(cluster, "storageclasses.storage.k8s.io", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: storageClass.name, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: storageClass.provisioner,
    parameters: { ...storageClass.parameters },
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  });
  makeObject(cluster, "csidrivers.storage.k8s.io", {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: storageClass.provisioner },
    spec: {},
  });
}
