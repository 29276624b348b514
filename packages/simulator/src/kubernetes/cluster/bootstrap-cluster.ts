import type { ClusterContents, SystemWorkload } from "../../cloud/cluster-contents.ts";
import { getContents } from "../../managed-kubernetes.ts";
import { makeRoles } from "../rbac/bootstrap-roles.ts";
import type { AwakeCluster } from "./awake-cluster.ts";
import { makeObject } from "./make-object.ts";
import { apiAddressOf, dnsAddressOf } from "./service-range.ts";

/**
 * Creates the initial objects of a managed cluster: namespaces, roles, the API service, DNS, and the workloads and storage classes of its
 * cloud's Kubernetes service.
 */
export function bootstrapCluster(cluster: AwakeCluster): void {
  const contents = getContents(cluster.record.cloud);
  for (const name of ["default", "kube-node-lease", "kube-public", "kube-system", ...(contents.namespaces ?? [])]) {
    makeObject(cluster, "namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  makeRoles(cluster);
  makeServices(cluster);
  for (const workload of contents.workloads) makeWorkload(cluster, workload);
  makeStorage(cluster, contents.storageClasses);
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
  const addresses = { api: apiAddressOf(cluster.services), dns: dnsAddressOf(cluster.services) };
  const labels = { component: "apiserver", provider: "kubernetes" };
  makeObject(cluster, "services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default", labels },
    spec: {
      clusterIP: addresses.api,
      clusterIPs: [addresses.api],
      ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }],
    },
    status: { loadBalancer: {} },
  });
  makeObject(cluster, "services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: "kube-system", labels: { "k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS" } },
    spec: {
      clusterIP: addresses.dns,
      clusterIPs: [addresses.dns],
      selector: { "k8s-app": "kube-dns" },
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
    status: { loadBalancer: {} },
  });
}

const podSettings = {
  Deployment: {
    priorityClassName: "system-cluster-critical",
    tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
  },
  DaemonSet: { hostNetwork: true, priorityClassName: "system-node-critical", tolerations: [{ operator: "Exists" }] },
};

function makeWorkload(cluster: AwakeCluster, workload: SystemWorkload): void {
  const { kind, name, app = name, namespace = "kube-system", replicas } = workload;
  const labels = { "k8s-app": app };
  const metadata = { name, namespace, labels };
  const image = workload.image.replace("{version}", cluster.record.version);
  makeObject(cluster, "serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  makeObject(cluster, kind === "Deployment" ? "deployments.apps" : "daemonsets.apps", {
    apiVersion: "apps/v1",
    kind,
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [{ name, image }], ...podSettings[kind] } },
      ...(kind === "Deployment" && { replicas: replicas ?? 1 }),
    },
  });
}

function makeStorage(cluster: AwakeCluster, classes: ClusterContents["storageClasses"]): void {
  for (const { name, provisioner, parameters, isDefault = false, bindingMode = "WaitForFirstConsumer" } of classes) {
    makeObject(cluster, "storageclasses.storage.k8s.io", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name, ...(isDefault && { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } }) },
      provisioner,
      parameters: { ...parameters },
      volumeBindingMode: bindingMode,
      allowVolumeExpansion: true,
    });
  }
  // Provisioners with a slash in their name are built into Kubernetes and have no CSI driver.
  const drivers = classes.map(({ provisioner }) => provisioner).filter((name) => !name.includes("/"));
  for (const name of new Set(drivers)) {
    makeObject(cluster, "csidrivers.storage.k8s.io", {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name },
      spec: {},
    });
  }
}
