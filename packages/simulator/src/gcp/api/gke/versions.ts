import type { ApiOperation } from "../../../api/api-service.ts";
import { channelVersions, listChannelVersions, offeredVersions } from "../../gke/versions.ts";
import { findLocation } from "../../gke/refusals.ts";
import { invalid, refuse } from "../errors.ts";
import { inLocation, parameterOf } from "./gke-records.ts";

const channels = ["RAPID", "REGULAR", "STABLE", "EXTENDED"] as const;

/**
 * Operations on the Kubernetes versions that GKE offers. The capitalization of the name and the path differs between locations and zones.
 */
export const versionOperations: readonly ApiOperation[] = [
  ...inLocation({
    name: "getServerConfig",
    method: "GET",
    path: "/serverConfig",
    run: async (call) => describe(parameterOf(call, "location")),
  }),
  {
    name: "container.projects.zones.getServerconfig",
    match: { method: "GET", path: "/v1/projects/{project}/zones/{location}/serverconfig" },
    run: async (call) => ({ content: describe(parameterOf(call, "location")) }),
  },
];

function describe(location: string): Record<string, unknown> {
  if (findLocation(location) === undefined) refuse(invalid(`Location "${location.slice(0, 100)}" does not exist.`));
  return {
    defaultClusterVersion: channelVersions["UNSPECIFIED"],
    validNodeVersions: offeredVersions,
    defaultImageType: "COS_CONTAINERD",
    validImageTypes: ["COS_CONTAINERD", "UBUNTU_CONTAINERD", "WINDOWS_LTSC_CONTAINERD"],
    validMasterVersions: offeredVersions,
    channels: channels.map((channel) => ({
      channel,
      defaultVersion: channelVersions[channel],
      validVersions: listChannelVersions(channel),
      upgradeTargetVersion: channelVersions[channel],
    })),
  };
}

/** Returns the release channel for a new cluster that does not request one: the most mature channel that offers its version. */
export function chooseChannel(version: string | undefined): string {
  if (version === undefined) return "REGULAR";
  const offering = (["STABLE", "REGULAR", "RAPID", "EXTENDED"] as const).find((channel) =>
    listChannelVersions(channel).includes(version),
  );
  return offering ?? "REGULAR";
}
