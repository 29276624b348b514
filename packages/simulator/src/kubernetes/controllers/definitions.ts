import { markDeleted } from "../api/delete.ts";
import { cleanupFinalizer } from "../kinds/establish-definition.ts";
import type { Controller } from "./controller.ts";
import { removeFinalizer } from "./garbage.ts";

const resourceOfDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

/** Deletes the objects of a CustomResourceDefinition that is being deleted, and then removes the definition. */
export const definitions: Controller = {
  name: "definitions",
  *keysOf({ resource, type, object }, { state }) {
    if (resource === resourceOfDefinitions && object.metadata.deletionTimestamp !== undefined) yield `/${object.metadata.name}`;
    // A definition is named after the resource that it defines.
    else if (type === "DELETED" && state.find(resourceOfDefinitions, "", resource)?.metadata.deletionTimestamp !== undefined)
      yield `/${resource}`;
  },
  reconcile({ cluster }, _, name) {
    const { state, clock } = cluster;
    const definition = state.find(resourceOfDefinitions, "", name);
    if (definition?.metadata.deletionTimestamp === undefined) return;
    for (const object of state.list(name)) {
      if (object.metadata.deletionTimestamp === undefined) markDeleted(state, name, object, {}, clock.now());
    }
    if (state.list(name).length === 0) removeFinalizer(cluster, resourceOfDefinitions, definition, cleanupFinalizer);
  },
};
