import type { Ipv4Range } from "@cloudwright/platform";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import { findFreeAddress } from "../cluster/service-range.ts";
import { coversAll, isAllowed, type Rule } from "../rbac/authorize.ts";
import type { ResourceCall } from "./call.ts";
import { invalid, StatusError } from "./status-error.ts";

/** Completes a new pod as the admission plug-ins of a real server do. */
export function admitPod(call: ResourceCall, pod: KubeObject): void {
  const spec = pod.spec;
  spec.serviceAccountName ??= "default";
  spec.serviceAccount ??= spec.serviceAccountName;
  if (call.cluster.state.find("serviceaccounts", pod.metadata.namespace ?? "", spec.serviceAccountName) === undefined) {
    const account = `error looking up service account ${pod.metadata.namespace}/${spec.serviceAccountName}: serviceaccount "${spec.serviceAccountName}" not found`;
    throw new StatusError(403, "Forbidden", `pods "${pod.metadata.name}" is forbidden: ${account}`, {
      name: pod.metadata.name,
      kind: "pods",
    });
  }
  fillPodAdmission(spec);
  pod.status = { phase: "Pending", qosClass: qualityOf(spec) };
}

/** Adds the fields that admission sets on every pod, whether a user or a controller created it. */
export function fillPodAdmission(spec: any): void {
  spec.enableServiceLinks ??= true;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  spec.priority ??= 0;
  const tolerations = (spec.tolerations ??= []) as any[];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const isThere = tolerations.some(
      (one) => (one.key === key || one.key === undefined) && (one.effect ?? "NoExecute") === "NoExecute",
    );
    if (!isThere) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
}

/** Returns the quality-of-service class of a pod: Guaranteed, Burstable or BestEffort. */
export function qualityOf(spec: any): string {
  const all = (spec.containers ?? []) as any[];
  const asks = (container: any): boolean =>
    Object.keys({ ...container.resources?.requests, ...container.resources?.limits }).length > 0;
  if (!all.some(asks)) return "BestEffort";
  const isFixed = all.every(({ resources }) =>
    ["cpu", "memory"].every(
      (what) =>
        resources?.limits?.[what] !== undefined &&
        (resources.requests?.[what] ?? resources.limits[what]) === resources.limits[what],
    ),
  );
  return isFixed ? "Guaranteed" : "Burstable";
}

/** Assigns a service its address and node ports, or keeps the existing ones. */
export function admitService(
  { state, services: range }: Pick<AwakeCluster, "state" | "services">,
  service: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = service.spec;
  if (spec.type === "ExternalName") return;
  const services = state.list("services");
  if (previous?.spec?.clusterIP && spec.clusterIP === undefined) spec.clusterIP = previous.spec.clusterIP;
  if (!spec.clusterIP) spec.clusterIP = chooseAddress(range, new Set(services.map((one) => one.spec?.clusterIP)));
  spec.clusterIPs = [spec.clusterIP];
  const taken =
    previous === undefined && spec.clusterIP !== "None" && services.some((one) => one.spec?.clusterIP === spec.clusterIP);
  if (taken) {
    const message = `Invalid value: "${spec.clusterIP}": failed to allocate IP ${spec.clusterIP}: provided IP is already allocated`;
    throw invalid("", "Service", service.metadata.name, [{ reason: "FieldValueInvalid", message, field: "spec.clusterIPs" }]);
  }
  if (spec.type === "ClusterIP") {
    for (const port of spec.ports ?? []) delete port.nodePort;
    return;
  }
  const used = new Set<number>(services.flatMap((one) => (one.spec?.ports ?? []).map((port: any) => port.nodePort)));
  for (const port of spec.ports ?? []) {
    const had = (previous?.spec?.ports ?? []).find(
      (one: any) => one.port === port.port && one.protocol === port.protocol,
    )?.nodePort;
    port.nodePort ??= had ?? freePort(used);
    used.add(port.nodePort);
  }
}

function chooseAddress(range: Ipv4Range, used: ReadonlySet<string>): string {
  const address = findFreeAddress(range, used);
  if (address === undefined) throw new StatusError(500, "InternalError", "failed to allocate a serviceIP: range is full");
  return address;
}

function freePort(used: ReadonlySet<number>): number {
  for (let port = 30_000; port < 32_768; port++) if (!used.has(port)) return port;
  throw new StatusError(500, "InternalError", "failed to allocate a nodePort: range is full");
}

/** Protects a new volume or claim against deletion while it is in use, and gives a claim the default storage class. */
export function admitVolume(state: ClusterState, resource: string, object: KubeObject): void {
  const finalizer = resource === "persistentvolumes" ? "kubernetes.io/pv-protection" : "kubernetes.io/pvc-protection";
  object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
  if (resource === "persistentvolumes" || object.spec.storageClassName !== undefined) return;
  const isDefault = "storageclass.kubernetes.io/is-default-class";
  const standard = state.list("storageclasses.storage.k8s.io").find((one) => one.metadata.annotations?.[isDefault] === "true");
  if (standard !== undefined) object.spec.storageClassName = standard.metadata.name;
}

/** Rejects a role or binding that would grant more permissions than the caller has. */
export function admitRoles(call: ResourceCall, object: KubeObject): void {
  const { kind, user, namespace } = call;
  const { state } = call.cluster;
  const isBinding = kind.resource.endsWith("bindings");
  const roleRef = object["roleRef"] as { kind: string; name: string } | undefined;
  const role =
    roleRef?.kind === "Role"
      ? state.find("roles.rbac.authorization.k8s.io", namespace, roleRef.name)
      : state.find("clusterroles.rbac.authorization.k8s.io", "", roleRef?.name ?? "");
  const rules = ((isBinding ? role : object)?.["rules"] ?? []) as Rule[];
  const verb = isBinding ? "bind" : "escalate";
  const resource = isBinding ? (roleRef?.kind === "Role" ? "roles" : "clusterroles") : kind.resource;
  const mayExceed = isAllowed(state, user, {
    verb,
    group: kind.group,
    resource,
    namespace,
    name: roleRef?.name ?? object.metadata.name,
    path: "",
  });
  if (mayExceed || coversAll(state, user, namespace, rules)) return;
  const message = `${kind.resource}.${kind.group} "${object.metadata.name}" is forbidden: user "${user.name}" (groups=${JSON.stringify(user.groups)}) is attempting to grant RBAC permissions not currently held`;
  throw new StatusError(403, "Forbidden", message, { name: object.metadata.name, group: kind.group, kind: kind.resource });
}
