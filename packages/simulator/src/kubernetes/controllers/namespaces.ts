import { markDeleted } from "../api/delete.ts";
import { makeObject } from "../cluster/make-object.ts";
import type { Controller } from "./controller.ts";

/** Creates the default objects of a namespace, and empties a namespace that is being deleted. */
export const namespaces: Controller = {
  name: "namespaces",
  *keysOf({ resource, type, object }, { state }) {
    if (resource === "namespaces") yield `/${object.metadata.name}`;
    const { namespace } = object.metadata;
    if (namespace === undefined || type === "ADDED") return;
    if (
      state.find("namespaces", "", namespace)?.metadata.deletionTimestamp !== undefined ||
      resource === "configmaps" ||
      resource === "serviceaccounts"
    ) {
      yield `/${namespace}`;
    }
  },
  reconcile({ cluster }, _, name) {
    const { state, clock } = cluster;
    const namespace = state.find("namespaces", "", name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp === undefined) {
      makeObject(cluster, "serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace: name },
      });
      const data = { "ca.crt": cluster.certificateAuthorityPem };
      makeObject(cluster, "configmaps", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "kube-root-ca.crt", namespace: name },
        data,
      });
      return;
    }
    const inside = [...state.listAll()].filter(({ key }) => key.namespace === name);
    for (const { key, object } of inside) {
      if (object.metadata.deletionTimestamp === undefined)
        markDeleted(state, key.resource, object, { propagationPolicy: "Background" }, clock.now());
    }
    const isEmpty = ![...state.listAll()].some(({ key }) => key.namespace === name);
    const finalizers = namespace.metadata.finalizers ?? [];
    if (isEmpty && finalizers.length === 0) state.remove("namespaces", "", name);
  },
};
