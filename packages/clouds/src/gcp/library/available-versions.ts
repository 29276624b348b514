import type { AvailableVersion } from "../../library/clusters.ts";
import type { VersionOptions } from "../../library/library.ts";
import { chooseVersion, compareVersions, minorOf } from "../../library/versions.ts";
import type { ServerConfig } from "../models.ts";
import type { GcpContext } from "./context.ts";
import { chooseLocation } from "./places.ts";

/** The versions that GKE offers in a location. */
export interface OfferedVersions {
  readonly config: ServerConfig;
  /** Chooses the version for a control plane, from a release channel if the cluster is in one. */
  choose(version: string, channel?: string): string;
  /** Chooses the version for a node pool. */
  chooseForNodes(version: string): string;
}

export async function listVersions(
  { api, project }: GcpContext,
  location: string,
  signal: AbortSignal | undefined,
): Promise<OfferedVersions> {
  const config = await api.call<ServerConfig>(`list the Kubernetes versions of GKE in ${location}`, {
    service: "container",
    action: "projects.locations.getServerConfig",
    path: `projects/${project}/locations/${location}/serverConfig`,
    signal,
  });
  const { validMasterVersions = [], validNodeVersions = [], channels = [] } = config;
  return {
    config,
    choose(version, channel = "UNSPECIFIED") {
      const own = channels.find((each) => each.channel === channel)?.validVersions ?? [];
      return chooseVersion("gcp", own.length > 0 ? own : validMasterVersions, version);
    },
    chooseForNodes: (version) =>
      chooseVersion("gcp", validNodeVersions.length > 0 ? validNodeVersions : validMasterVersions, version),
  };
}

/** Lists the versions that GKE offers, newest first. */
export async function listAvailableVersions(
  context: GcpContext,
  { region, signal }: VersionOptions,
): Promise<AvailableVersion[]> {
  const { config } = await listVersions(context, chooseLocation(context, { region }), signal);
  const { validMasterVersions = [], channels = [], defaultClusterVersion } = config;
  const versionsOf = (isWanted: (channel: string) => boolean): Set<string> =>
    new Set(channels.filter(({ channel = "" }) => isWanted(channel)).flatMap(({ validVersions = [] }) => validVersions));
  const standard = versionsOf((channel) => channel !== "EXTENDED");
  const extended = versionsOf((channel) => channel === "EXTENDED");
  // GKE puts a new cluster without a version or a release channel into the regular channel.
  const usual = channels.find(({ channel }) => channel === "REGULAR")?.defaultVersion ?? defaultClusterVersion;
  return [...new Set([...validMasterVersions, ...standard, ...extended])]
    .toSorted((a, b) => compareVersions(b, a))
    .map((version) => ({
      version,
      minor: minorOf("gcp", version),
      isDefault: version === usual,
      support: standard.has(version) ? "standard" : extended.has(version) ? "extended" : "unknown",
    }));
}
