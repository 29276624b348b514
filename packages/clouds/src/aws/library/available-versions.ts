import type { AvailableVersion } from "../../library/clusters.ts";
import type { VersionOptions } from "../../library/library.ts";
import { compareVersions } from "../../library/versions.ts";
import type { AwsContext } from "./context.ts";

const support: Readonly<Record<string, AvailableVersion["support"]>> = {
  STANDARD_SUPPORT: "standard",
  EXTENDED_SUPPORT: "extended",
};

/** Lists the versions that EKS supports, newest first. */
export async function listAvailableVersions(
  context: AwsContext,
  { region = context.options.region, signal }: VersionOptions,
): Promise<AvailableVersion[]> {
  return context.call({ doing: `list the Kubernetes versions of EKS in ${region}`, region, signal }, async (clients) => {
    const { paginateDescribeClusterVersions } = await import("@aws-sdk/client-eks");
    const found: AvailableVersion[] = [];
    for await (const page of paginateDescribeClusterVersions({ client: await clients.eks() }, {})) {
      for (const offered of page.clusterVersions ?? []) {
        const { clusterVersion: version = "", versionStatus = "", defaultVersion = false } = offered;
        if (version === "" || versionStatus === "UNSUPPORTED") continue;
        const endOfSupport = offered.endOfExtendedSupportDate ?? offered.endOfStandardSupportDate;
        found.push({
          version,
          minor: version,
          isDefault: defaultVersion,
          support: support[versionStatus] ?? "unknown",
          ...(endOfSupport === undefined ? {} : { endOfSupport }),
        });
      }
    }
    return found.toSorted((a, b) => compareVersions(b.version, a.version));
  });
}
