import { textsOf } from "@cloudwright/platform";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf, textOf } from "../../../values/read-value.ts";
import { isList, type Value } from "../../../values/value.ts";

/** The fields of a cluster. */
export const clusterMapping: ResourceMapping = {
  type: "aws_eks_cluster",
  model: "Cluster",
  fields: [
    ["name", "name"],
    { api: "arn", attribute: "arn", isReadOnly: true },
    { api: "createdAt", attribute: "created_at", read: toSeconds, isReadOnly: true },
    ["version", "version"],
    { api: "endpoint", attribute: "endpoint", isReadOnly: true },
    ["roleArn", "role_arn"],
    { api: "resourcesVpcConfig.subnetIds", attribute: "vpc_config.0.subnet_ids", read: toSorted },
    { api: "resourcesVpcConfig.securityGroupIds", attribute: "vpc_config.0.security_group_ids", read: toSorted },
    {
      api: "resourcesVpcConfig.clusterSecurityGroupId",
      attribute: "vpc_config.0.cluster_security_group_id",
      isReadOnly: true,
    },
    { api: "resourcesVpcConfig.vpcId", attribute: "vpc_config.0.vpc_id", isReadOnly: true },
    ["resourcesVpcConfig.endpointPublicAccess", "vpc_config.0.endpoint_public_access"],
    ["resourcesVpcConfig.endpointPrivateAccess", "vpc_config.0.endpoint_private_access"],
    { api: "resourcesVpcConfig.publicAccessCidrs", attribute: "vpc_config.0.public_access_cidrs", read: toSorted },
    ["kubernetesNetworkConfig.serviceIpv4Cidr", "kubernetes_network_config.0.service_ipv4_cidr"],
    ["kubernetesNetworkConfig.ipFamily", "kubernetes_network_config.0.ip_family"],
    { api: "logging.clusterLogging", attribute: "enabled_cluster_log_types", read: toLogging, write: fromLogging },
    { api: "identity.oidc.issuer", attribute: "identity.0.oidc.0.issuer", isReadOnly: true },
    { api: "certificateAuthority.data", attribute: "certificate_authority.0.data", isReadOnly: true },
    { api: "platformVersion", attribute: "platform_version", isReadOnly: true },
    { api: "tags", attribute: "tags", read: (_tags, record) => tagsOf(record) },
    { api: "encryptionConfig", attribute: "encryption_config", read: toEncryption, write: fromEncryption },
    ["accessConfig.authenticationMode", "access_config.0.authentication_mode"],
    ["accessConfig.bootstrapClusterCreatorAdminPermissions", "access_config.0.bootstrap_cluster_creator_admin_permissions"],
    ["upgradePolicy.supportType", "upgrade_policy.0.support_type"],
    ["zonalShiftConfig.enabled", "zonal_shift_config.0.enabled"],
    ["deletionProtection", "deletion_protection"],
  ],
};

/** Converts an ISO time to seconds since the epoch, the format of times in this protocol. */
export function toSeconds(value: Value): number | undefined {
  const ms = Date.parse(textOf(value));
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** Returns a list in a fixed order. Terraform keeps sets in arbitrary order. */
export function toSorted(value: Value): readonly string[] {
  return textsOf(value).toSorted();
}

/** Returns all tags of a resource, including the provider's default tags. */
export function tagsOf({ attributes }: CloudRecord): Record<string, string> {
  const tags = { ...mapOf(attributes["tags"]), ...mapOf(attributes["tags_all"]) };
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, textOf(value)]));
}

const logTypes = ["api", "audit", "authenticator", "controllerManager", "scheduler"] as const;

function toLogging(value: Value): unknown {
  const enabled = new Set(isList(value) ? value : []);
  const groups = [true, false].map((isOn) => ({ types: logTypes.filter((type) => enabled.has(type) === isOn), enabled: isOn }));
  return groups.filter(({ types }) => types.length > 0);
}

function fromLogging(value: unknown): Value {
  const setups = (Array.isArray(value) ? value : []) as readonly { readonly types?: unknown; readonly enabled?: unknown }[];
  const types = (isOn: boolean): string[] =>
    setups
      .filter(({ enabled }) => (enabled === true) === isOn)
      .flatMap((setup) => (Array.isArray(setup.types) ? setup.types.map(String) : []));
  const off = new Set(types(false));
  return types(true).filter((type) => !off.has(type));
}

function toEncryption(value: Value): unknown {
  if (!isList(value) || value.length === 0) return undefined;
  return value.map((config) => {
    const { resources, provider } = mapOf(config);
    return { resources: toSorted(resources ?? []), provider: { keyArn: mapOf(isList(provider) ? provider[0] : {})["key_arn"] } };
  });
}

function fromEncryption(value: unknown): Value {
  const configs = (Array.isArray(value) ? value : []) as readonly { resources?: Value; provider?: { keyArn?: Value } }[];
  return configs.map((config) => ({
    resources: config.resources ?? [],
    provider: [{ key_arn: config.provider?.keyArn ?? null }],
  }));
}
