import type { CloudLibrary } from "../library/library.ts";
import { listAvailableVersions } from "./library/available-versions.ts";
import { createClusters } from "./library/clusters.ts";
import { createAwsContext } from "./library/context.ts";
import { createInstances } from "./library/instances.ts";
import { createNodePools } from "./library/node-pools.ts";
import type { AwsLibraryOptions } from "./library/options.ts";
import { upgradeCluster } from "./library/upgrade.ts";

export type { AwsKeys, AwsLibraryOptions } from "./library/options.ts";

/** Creates the library for EKS and EC2 in one account. Loads no SDK and sends no requests. */
export function createAws(options: AwsLibraryOptions): CloudLibrary {
  const context = createAwsContext(options);
  const { locate, ...clusters } = createClusters(context);
  return {
    cloud: "aws",
    clusters,
    nodePools: createNodePools(context, { locate }),
    instances: createInstances(context),
    async upgrade(cluster, request, callOptions = {}) {
      return upgradeCluster(context, await locate(cluster, callOptions), request, callOptions);
    },
    availableVersions: (versionOptions = {}) => listAvailableVersions(context, versionOptions),
    close: async () => context.close(),
  };
}
