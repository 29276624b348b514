import { ownedBy, type KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import { makeObject } from "../cluster/make-object.ts";
import { keyOf, type Controller } from "./controller.ts";
import { isPodReady } from "./owned-pods.ts";

/** Maintains the Endpoints and the EndpointSlice of each service. */
export const endpoints: Controller = {
  name: "endpoints",
  *keysOf({ resource, object, previous }, { state }) {
    if (resource === "services") yield keyOf(object);
    if (resource !== "pods") return;
    for (const service of state.list("services", object.metadata.namespace)) {
      if (selects(service, object) || (previous !== undefined && selects(service, previous))) yield keyOf(service);
    }
  },
  reconcile({ cluster }, namespace, name) {
    const { state } = cluster;
    const service = state.find("services", namespace, name);
    if (service === undefined) {
      state.remove("endpoints", namespace, name);
      state.remove("endpointslices.discovery.k8s.io", namespace, sliceName(name));
      return;
    }
    if (service.spec.selector === undefined || service.spec.type === "ExternalName") return;
    const pods = state
      .list("pods", namespace)
      .filter((pod) => selects(service, pod) && pod.status?.podIP !== undefined && pod.metadata.deletionTimestamp === undefined);
    const isReady = (pod: KubeObject): boolean => service.spec.publishNotReadyAddresses === true || isPodReady(pod);
    const address = (pod: KubeObject): object => ({
      ip: pod.status.podIP,
      nodeName: pod.spec.nodeName,
      targetRef: referenceTo(pod),
    });
    const ports = portsOf(service, pods);
    const [ready, others] = [pods.filter(isReady), pods.filter((pod) => !isReady(pod))];
    const subset = {
      ...(ready.length > 0 && { addresses: ready.map(address) }),
      ...(others.length > 0 && { notReadyAddresses: others.map(address) }),
      ports,
    };
    const subsets = pods.length === 0 ? undefined : [subset];
    const metadata = { name, namespace, ...(service.metadata.labels && { labels: service.metadata.labels }) };
    const kept = makeObject(cluster, "endpoints", { apiVersion: "v1", kind: "Endpoints", metadata });
    const { subsets: _, ...bare } = kept;
    state.put("endpoints", subsets === undefined ? bare : { ...bare, subsets });

    const slice = makeObject(cluster, "endpointslices.discovery.k8s.io", {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: sliceName(name),
        namespace,
        labels: {
          ...service.metadata.labels,
          "kubernetes.io/service-name": name,
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
        ownerReferences: [ownedBy(service)],
      },
      addressType: "IPv4",
      endpoints: [],
    });
    const items = pods.map((pod) => ({
      addresses: [pod.status.podIP],
      conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
      nodeName: pod.spec.nodeName,
      targetRef: referenceTo(pod),
    }));
    state.put("endpointslices.discovery.k8s.io", { ...slice, endpoints: items, ports });
  },
};

function sliceName(service: string): string {
  return `${service.slice(0, 57)}-slice`;
}

function selects(service: KubeObject, pod: KubeObject): boolean {
  const wanted = Object.entries((service.spec?.selector ?? {}) as Record<string, string>);
  return wanted.length > 0 && wanted.every(([key, value]) => findField(pod.metadata.labels, key) === value);
}

function referenceTo({ metadata }: KubeObject): object {
  return { kind: "Pod", namespace: metadata.namespace, name: metadata.name, uid: metadata.uid };
}

function portsOf(service: KubeObject, pods: readonly KubeObject[]): object[] {
  return ((service.spec.ports ?? []) as any[]).map(({ name, port, targetPort, protocol }) => ({
    ...(name !== undefined && { name }),
    port: typeof targetPort === "number" ? targetPort : (namedPort(pods, targetPort) ?? port),
    protocol,
  }));
}

function namedPort(pods: readonly KubeObject[], name: string): number | undefined {
  const ports = pods.flatMap(({ spec }) => (spec.containers as any[]).flatMap((container) => container.ports ?? []));
  return ports.find((port) => port.name === name)?.containerPort;
}
