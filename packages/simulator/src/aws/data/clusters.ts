import type { DataSourceHooks } from "../../provider/definition.ts";
import { isList } from "../../values/value.ts";
import { defaultVersion, findAddonVersion, offeredVersions } from "../eks/versions.ts";
import { hash, placeOf } from "../place.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import { describeRefusal } from "../refusal.ts";

const cluster: DataSourceHooks = {
  read: async (config, context) => {
    const name = textOf(config["name"]);
    const found = await context.find({ type: "aws_eks_cluster", id: name });
    if (found !== undefined) return { ...found.attributes, id: name, tags: mapOf(found.attributes["tags_all"]) };
    const asked = { service: "EKS", noun: "Cluster", call: "DescribeCluster", operation: "reading", label: name } as const;
    const refusal = { code: "ResourceNotFoundException", message: `No cluster found for name: ${name}.`, status: 404 };
    return [describeRefusal(asked, refusal, context.nowMs)];
  },
};

const clusterToken: DataSourceHooks = {
  read: (config, context) => {
    const { region, account, suffix } = placeOf(context, config);
    const name = textOf(config["name"]);
    // Looks like a real token, which is a presigned URL, but carries no valid signature.
    const query = new URLSearchParams({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `SIMULATED/${new Date(context.nowMs).toISOString().slice(0, 10).replaceAll("-", "")}/${region}/sts/aws4_request`,
      "X-Amz-Expires": "60",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Signature": hash(`${account} ${region} ${name}`),
    });
    const url = `https://sts.${region}.${suffix}/?${query.toString()}`;
    return { id: name, name, token: `k8s-aws-v1.${Buffer.from(url).toString("base64url")}` };
  },
};

const versions: DataSourceHooks = {
  read: (config) => {
    const only = isList(config["cluster_versions_only"]) ? config["cluster_versions_only"] : [];
    const status = textOf(config["version_status"]);
    const found = offeredVersions.filter(
      (each) =>
        (only.length === 0 || only.includes(each.version)) &&
        (status === "" || status === each.status) &&
        (config["default_only"] !== true || each.version === defaultVersion),
    );
    return {
      cluster_versions: found.toReversed().map((each) => ({
        cluster_type: "eks",
        cluster_version: each.version,
        control_plane_component_config: [],
        control_plane_scaling_tiers: [],
        default_platform_version: "eks.1",
        default_version: each.version === defaultVersion,
        end_of_extended_support_date: each.endOfExtended,
        end_of_standard_support_date: each.endOfStandard,
        kubernetes_patch_version: each.patch,
        release_date: each.released,
        version_status: each.status,
      })),
    };
  },
};

const addonVersion: DataSourceHooks = {
  read: (config) => {
    const name = textOf(config["addon_name"]);
    const version = findAddonVersion(name, textOf(config["kubernetes_version"]));
    return version === undefined
      ? [{ summary: `reading EKS Add-On version info (${name}): couldn't find resource` }]
      : { id: name, version };
  },
};

/** Data sources for EKS clusters, their tokens, and the versions that EKS offers. */
export const clusterData = {
  aws_eks_cluster: cluster,
  aws_eks_cluster_auth: clusterToken,
  aws_eks_cluster_versions: versions,
  aws_eks_addon_version: addonVersion,
} as const;
