import type { ApiOperation } from "../../../api/api-service.ts";
import { defaultVersion, offeredVersions } from "../../eks/versions.ts";
import { pageOf } from "./eks-records.ts";

/** Operations on the Kubernetes versions that EKS offers. */
export const versionOperations: readonly ApiOperation[] = [
  {
    name: "DescribeClusterVersions",
    match: { method: "GET", path: "/cluster-versions" },
    async run(call) {
      const { query } = call;
      const named = query.getAll("clusterVersions");
      const status = query.get("versionStatus") ?? "";
      const found = offeredVersions.filter(
        (offered) =>
          (named.length === 0 || named.includes(offered.version)) &&
          (status === "" || offered.status === status) &&
          (query.get("defaultOnly") !== "true" || offered.version === defaultVersion),
      );
      // Versions are listed newest first. Pages are sorted alphabetically by key, so the key counts backwards.
      const keyOf = (version: string): string => String(1000 - Number(version.split(".")[1] ?? 0));
      const { items, ...rest } = pageOf(call, found, ({ version }) => keyOf(version));
      return {
        content: {
          clusterVersions: items.map((offered) => ({
            clusterVersion: offered.version,
            clusterType: "eks",
            defaultPlatformVersion: "eks.1",
            defaultVersion: offered.version === defaultVersion,
            releaseDate: toSeconds(offered.released),
            endOfStandardSupportDate: toSeconds(offered.endOfStandard),
            endOfExtendedSupportDate: toSeconds(offered.endOfExtended),
            status: offered.status.toLowerCase().replace("_", "-"),
            versionStatus: offered.status,
            kubernetesPatchVersion: offered.patch,
          })),
          ...rest,
        },
      };
    },
  },
];

function toSeconds(iso: string): number {
  return Date.parse(iso) / 1000;
}
