import type { KubeObject } from "@cloudwright/kube";
import { numberOf, textsOf } from "../read-spec.ts";
import type { AddOn } from "./add-on.ts";

const namespace = "kube-system";
const labels = { "k8s-app": "metrics-server" };
const rbac = "rbac.authorization.k8s.io/v1";
const account = { kind: "ServiceAccount", name: "metrics-server", namespace };

/** The metrics API for `kubectl top` and pod autoscaling. The objects match the upstream release. */
export const metricsServer: AddOn = {
  name: "metrics-server",
  order: 50,
  version: "v0.8.1",
  wanted: "always",
  install: {
    by: "manifests",
    render: (site, version, values) => [
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "metrics-server", namespace, labels } },
      ...renderRoles(),
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "metrics-server", namespace, labels },
        spec: {
          selector: labels,
          ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: "https", appProtocol: "https" }],
        },
      },
      renderDeployment(version, numberOf(values["replicas"]) || 1, textsOf(values["args"])),
      // No metrics backend runs in a simulated cluster.
      ...(site.account.simulated ? [] : [apiService]),
    ],
  },
};

const apiService: KubeObject = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1beta1.metrics.k8s.io", labels },
  spec: {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { name: "metrics-server", namespace },
  },
};

function renderRoles(): KubeObject[] {
  const read = ["get", "list", "watch"];
  const aggregated = Object.fromEntries(
    ["admin", "edit", "view"].map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]),
  );
  const bind = (kind: string, name: string, role: string, roleName: string): KubeObject => ({
    apiVersion: rbac,
    kind,
    metadata: { name, labels, ...(kind === "RoleBinding" ? { namespace } : {}) },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role, name: roleName },
    subjects: [account],
  });
  return [
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name: "system:aggregated-metrics-reader", labels: { ...labels, ...aggregated } },
      rules: [{ apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: read }],
    },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name: "system:metrics-server", labels },
      rules: [
        { apiGroups: [""], resources: ["nodes/metrics"], verbs: ["get"] },
        { apiGroups: [""], resources: ["pods", "nodes"], verbs: read },
      ],
    },
    bind("RoleBinding", "metrics-server-auth-reader", "Role", "extension-apiserver-authentication-reader"),
    bind("ClusterRoleBinding", "metrics-server:system:auth-delegator", "ClusterRole", "system:auth-delegator"),
    bind("ClusterRoleBinding", "system:metrics-server", "ClusterRole", "system:metrics-server"),
  ];
}

function renderDeployment(version: string, replicas: number, more: readonly string[]): KubeObject {
  const probe = (path: string) => ({ httpGet: { path, port: "https", scheme: "HTTPS" }, periodSeconds: 10, failureThreshold: 3 });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "metrics-server", namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "metrics-server",
          priorityClassName: "system-cluster-critical",
          nodeSelector: { "kubernetes.io/os": "linux" },
          containers: [
            {
              name: "metrics-server",
              image: `registry.k8s.io/metrics-server/metrics-server:${version}`,
              args: [
                "--cert-dir=/tmp",
                "--secure-port=10250",
                "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
                "--kubelet-use-node-status-port",
                "--metric-resolution=15s",
                ...more,
              ],
              ports: [{ name: "https", containerPort: 10250, protocol: "TCP" }],
              livenessProbe: probe("/livez"),
              readinessProbe: { ...probe("/readyz"), initialDelaySeconds: 20 },
              resources: { requests: { cpu: "100m", memory: "200Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
                runAsNonRoot: true,
                runAsUser: 1000,
                seccompProfile: { type: "RuntimeDefault" },
              },
              volumeMounts: [{ name: "tmp-dir", mountPath: "/tmp" }],
            },
          ],
          volumes: [{ name: "tmp-dir", emptyDir: {} }],
        },
      },
    },
  };
}
