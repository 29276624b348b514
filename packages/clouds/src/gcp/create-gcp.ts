import type { CloudLibrary } from "../library/library.ts";
import { listAvailableVersions } from "./library/available-versions.ts";
import { createClusters } from "./library/clusters.ts";
import { createGcpContext } from "./library/context.ts";
import { createInstances } from "./library/instances.ts";
import { createNodePools } from "./library/node-pools.ts";
import type { GcpLibraryOptions } from "./library/options.ts";
import { locate } from "./library/read-gke.ts";
import { upgradeCluster } from "./library/upgrade.ts";

export type { GcpAccessToken, GcpLibraryOptions } from "./library/options.ts";

/** Creates the library for GKE and Compute Engine in one project. Does not load Google's library and sends no requests. */
export function createGcp(options: GcpLibraryOptions): CloudLibrary {
  const context = createGcpContext(options);
  return {
    cloud: "gcp",
    clusters: createClusters(context),
    nodePools: createNodePools(context),
    instances: createInstances(context),
    async upgrade(cluster, request, callOptions = {}) {
      return upgradeCluster(context, await locate(context, cluster, callOptions), request, callOptions);
    },
    availableVersions: (versionOptions = {}) => listAvailableVersions(context, versionOptions),
    // Google's library holds no connections that need to be closed.
    close: async () => undefined,
  };
}
