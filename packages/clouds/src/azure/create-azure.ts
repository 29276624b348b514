import type { CloudLibrary } from "../library/library.ts";
import { listAvailableVersions } from "./library/available-versions.ts";
import { createClusters } from "./library/clusters.ts";
import { createAzureContext } from "./library/context.ts";
import { createInstances } from "./library/instances.ts";
import { createNodePools } from "./library/node-pools.ts";
import type { AzureLibraryOptions } from "./library/options.ts";
import { upgradeCluster } from "./library/upgrade.ts";

export type { AzureAccessToken, AzureLibraryOptions } from "./library/options.ts";

/** Creates the library for AKS and virtual machines in one subscription. Loads no SDK and sends no requests. */
export function createAzure(options: AzureLibraryOptions): CloudLibrary {
  const context = createAzureContext(options);
  return {
    cloud: "azure",
    clusters: createClusters(context),
    nodePools: createNodePools(context),
    instances: createInstances(context),
    upgrade: (cluster, request, callOptions = {}) => upgradeCluster(context, cluster, request, callOptions),
    availableVersions: (versionOptions = {}) => listAvailableVersions(context, versionOptions),
    close: async () => undefined,
  };
}
