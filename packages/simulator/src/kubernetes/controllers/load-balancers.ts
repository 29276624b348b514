import { describeError } from "@cloudwright/platform";
import type { KubeObject } from "../cluster/kube-object.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { removeFinalizer } from "./garbage.ts";

const finalizer = "service.kubernetes.io/load-balancer-cleanup";

/** Creates load balancers for services, and deletes each one before its service is removed. */
export const loadBalancers: Controller = {
  name: "load-balancers",
  *keysOf({ resource, type, object }) {
    if (resource === "services" && type !== "DELETED") yield keyOf(object);
  },
  reconcile(scope, namespace, name) {
    const service = scope.cluster.state.find("services", namespace, name);
    if (service === undefined) return;
    const isHeld = service.metadata.finalizers?.includes(finalizer) === true;
    const isWanted = service.spec.type === "LoadBalancer" && service.metadata.deletionTimestamp === undefined;
    if (isWanted && !isHeld) hold(scope, service);
    else if (isWanted && service.status?.loadBalancer?.ingress === undefined) create(scope, service);
    else if (!isWanted && isHeld) remove(scope, service);
  },
};

// Adds the finalizer before calling the cloud, so that no load balancer can be orphaned.
function hold({ cluster }: Scope, service: KubeObject): void {
  if (service.spec.loadBalancerClass !== undefined) return;
  const finalizers = [...(service.metadata.finalizers ?? []), finalizer];
  cluster.state.put("services", { ...service, metadata: { ...service.metadata, finalizers } });
}

function create(scope: Scope, service: KubeObject): void {
  const { cluster, hooks } = scope;
  const { namespace = "", name, uid, annotations = {} } = service.metadata;
  scope.doOutside(
    keyOf(service),
    async () => {
      scope.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer", "service-controller");
      const ports = service.spec.ports.map(({ port, nodePort, protocol }: any) => ({ port, nodePort, protocol }));
      const made = await hooks.createLoadBalancer(cluster.record.id, { namespace, name, uid, ports, annotations });
      const current = cluster.state.find("services", namespace, name);
      if (current?.metadata.uid !== uid) return;
      cluster.state.put("services", { ...current, status: { ...current.status, loadBalancer: { ingress: [{ ...made }] } } });
      scope.event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer", "service-controller");
    },
    (error) =>
      scope.event(
        service,
        "Warning",
        "SyncLoadBalancerFailed",
        `Error syncing load balancer: ${describeError(error)}`,
        "service-controller",
      ),
  );
}

function remove(scope: Scope, service: KubeObject): void {
  const { cluster, hooks } = scope;
  const { namespace = "", name, uid } = service.metadata;
  scope.doOutside(
    keyOf(service),
    async () => {
      scope.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer", "service-controller");
      await hooks.deleteLoadBalancer(cluster.record.id, uid);
      const current = cluster.state.find("services", namespace, name);
      if (current?.metadata.uid !== uid) return;
      cluster.state.put("services", { ...current, status: { loadBalancer: {} } });
      removeFinalizer(cluster, "services", service, finalizer);
      scope.event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer", "service-controller");
    },
    (error) =>
      scope.event(
        service,
        "Warning",
        "SyncLoadBalancerFailed",
        `Error deleting load balancer: ${describeError(error)}`,
        "service-controller",
      ),
  );
}
