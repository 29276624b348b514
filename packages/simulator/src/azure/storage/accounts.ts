import { createHash } from "node:crypto";
import { findRegion } from "../../cloud/regions.ts";
import type { HookContext } from "../../provider/definition.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, isMap, type Value, type ValueMap } from "../../values/value.ts";
import { missingReference } from "../names.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const account: AzureResource = {
  noun: "Storage Account",
  path: `${inGroup}/Microsoft.Storage/storageAccounts/{name}`,
  forceNew: [
    "account_tier",
    "dns_endpoint_type",
    "edge_zone",
    "infrastructure_encryption_enabled",
    "is_hns_enabled",
    "nfsv3_enabled",
    "provisioned_billing_model_version",
    "queue_encryption_key_type",
    "table_encryption_key_type",
  ],
  defaults: {
    account_kind: "StorageV2",
    allow_nested_items_to_be_public: false,
    cross_tenant_replication_enabled: false,
    default_to_oauth_authentication: false,
    dns_endpoint_type: "Standard",
    https_traffic_only_enabled: true,
    infrastructure_encryption_enabled: false,
    is_hns_enabled: false,
    local_user_enabled: true,
    min_tls_version: "TLS1_2",
    nfsv3_enabled: false,
    public_network_access_enabled: true,
    queue_encryption_key_type: "Service",
    sftp_enabled: false,
    shared_access_key_enabled: true,
    table_encryption_key_type: "Service",
  },
  computedBlocks: ["network_rules", "share_properties"],
  takes: { create: 25, update: 5, delete: 5 },
  names: [
    {
      path: "identity.identity_ids",
      to: ["azurerm_user_assigned_identity"],
      missing: (id) => ({ code: "FailedIdentityOperation", message: `Resource '${id}' was not found.` }),
      tie: "none",
    },
  ],
  limits: [
    {
      quota: "storage-accounts-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "MaxStorageAccountsCountPerSubscriptionExceeded",
        message: `Subscription already contains ${limit} storage accounts in this location and the maximum allowed is ${limit}.`,
        status: 409,
      }),
    },
  ],
  validate: ({ name }) =>
    typeof name !== "string" || /^[a-z0-9]{3,24}$/.test(name)
      ? []
      : [
          {
            summary: `name ("${name}") can only consist of lowercase letters and numbers, and must be between 3 and 24 characters long`,
            path: ["name"],
          },
        ],
  check: (change, context) => (change.operation === "delete" ? checkLocked(change.id, context) : checkAccount(change, context)),
  compute: ({ id, planned }) => describeAccount(id, planned),
};

async function checkAccount({ operation, id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const name = textOf(planned["name"]);
  const twin = (await context.list("azurerm_storage_account")).some(
    (other) => other.id !== id && other.attributes["name"] === name,
  );
  if (operation === "create" && twin)
    return [{ code: "StorageAccountAlreadyTaken", message: `The storage account named ${name} is already taken.`, status: 409 }];
  const region = textOf(planned["location"]).toLowerCase().replaceAll(" ", "");
  const copies = textOf(planned["account_replication_type"]);
  if (copies.endsWith("ZRS") && (findRegion("azure", region)?.zones ?? []).length === 0) {
    const message = `The account SKU Standard_${copies} is not supported in location ${region}.`;
    return [{ code: "SkuNotSupported", message, path: ["account_replication_type"] }];
  }
  return [];
}

/** A storage account cannot be deleted while one of its containers has a locked immutability policy and contains objects. */
async function checkLocked(id: string, context: HookContext): Promise<readonly Refusal[]> {
  const policies = await context.list("azurerm_storage_container_immutability_policy");
  const locked = policies.find((policy) => policy.id.startsWith(`${id}/`) && policy.attributes["locked"] === true);
  if (locked === undefined) return [];
  const container = textOf(locked.attributes["storage_container_resource_manager_id"]);
  return (await hasObjects(container, context)) ? [describeLocked(id)] : [];
}

/** A container with a locked immutability policy can be deleted only if it is empty. The policy is then deleted with it. */
async function checkContents(id: string, context: HookContext): Promise<readonly Refusal[]> {
  const policy = await context.find(policyOf(id));
  if (policy?.attributes["locked"] !== true || !(await hasObjects(id, context))) return [];
  const message = "The requested operation is not allowed as the container has a locked immutability policy.";
  return [{ code: "ContainerImmutabilityPolicyLocked", message, status: 409 }];
}

async function hasObjects(container: string, context: HookContext): Promise<boolean> {
  const found = await context.find({ type: "azurerm_storage_container", id: container });
  if (numberOf(found?.attributes["object_count"]) > 0) return true;
  const blobs = await context.list("azurerm_storage_blob");
  return blobs.some(({ attributes }) => attributes["storage_container_id"] === container);
}

function policyOf(container: string): { readonly type: string; readonly id: string } {
  return { type: "azurerm_storage_container_immutability_policy", id: `${container}/immutabilityPolicies/default` };
}

function describeLocked(id: string): Refusal {
  const message = `The storage account ${id.split("/").at(-1) ?? ""} cannot be deleted due to its active immutability policies.`;
  return { code: "StorageAccountOperationInProgressWithImmutabilityPolicies", message, status: 409 };
}

const services = ["blob", "dfs", "file", "queue", "table", "web"];

function describeAccount(id: string, planned: ValueMap): Record<string, Value> {
  const name = textOf(planned["name"]);
  const hostOf = (service: string): string => `${name}.${service === "web" ? "z6.web" : service}.core.windows.net`;
  const endpoints = services.flatMap((service) => [
    [`primary_${service}_endpoint`, `https://${hostOf(service)}/`] as const,
    [`primary_${service}_host`, hostOf(service)] as const,
  ]);
  const keyOf = (which: string): string => createHash("sha512").update(`${which} ${id}`).digest("base64");
  const connection = (key: string): string =>
    `DefaultEndpointsProtocol=https;AccountName=${name};AccountKey=${key};EndpointSuffix=core.windows.net`;
  const identity = blockOf(planned, "identity");
  return {
    ...Object.fromEntries(endpoints),
    access_tier: "Hot",
    large_file_share_enabled: true,
    primary_location: textOf(planned["location"]),
    primary_access_key: keyOf("primary"),
    secondary_access_key: keyOf("secondary"),
    primary_connection_string: connection(keyOf("primary")),
    secondary_connection_string: connection(keyOf("secondary")),
    primary_blob_connection_string: `${connection(keyOf("primary"))};BlobEndpoint=https://${hostOf("blob")}/`,
    ...(textOf(identity["type"]) === "" ? {} : { identity: [{ ...identity, principal_id: "", tenant_id: "" }] }),
  };
}

const container: AzureResource = {
  noun: "Container",
  path: "{storage_account_id}/blobServices/default/containers/{name}",
  forceNew: ["default_encryption_scope", "encryption_scope_override_enabled"],
  defaults: { container_access_type: "private", encryption_scope_override_enabled: true },
  takes: { create: 2, update: 1, delete: 2 },
  names: [{ path: "storage_account_id", to: ["azurerm_storage_account"], missing: missingReference, tie: "follows" }],
  check: async ({ operation, id, planned }, context) => {
    if (operation === "delete") return checkContents(id, context);
    const name = textOf(planned["name"]);
    if (!/^(\$(root|web)|[a-z0-9](-?[a-z0-9]){2,62})$/.test(name) || name.length > 63)
      return [
        { code: "InvalidResourceName", message: "The specified resource name contains invalid characters.", path: ["name"] },
      ];
    const owner = await context.find({ type: "azurerm_storage_account", id: textOf(planned["storage_account_id"]) });
    const isPublic = textOf(planned["container_access_type"]) !== "private";
    if (!isPublic || owner?.attributes["allow_nested_items_to_be_public"] === true) return [];
    const message = "Public access is not permitted on this storage account.";
    return [{ code: "PublicAccessNotPermitted", message, status: 409, path: ["container_access_type"] }];
  },
  compute: ({ planned }) => {
    const owner = textOf(planned["storage_account_id"]).split("/").at(-1) ?? "";
    return {
      default_encryption_scope: "$account-encryption-key",
      has_immutability_policy: false,
      has_legal_hold: false,
      metadata: {},
      url: `https://${owner}.blob.core.windows.net/${textOf(planned["name"])}`,
    };
  },
  read: async ({ id, attributes }, context) => ({
    ...attributes,
    has_immutability_policy: (await context.find(policyOf(id))) !== undefined,
  }),
};

const managementPolicy: AzureResource = {
  noun: "Storage Account Management Policy",
  path: "{storage_account_id}/managementPolicies/default",
  takes: { create: 2, update: 1, delete: 1 },
  names: [{ path: "storage_account_id", to: ["azurerm_storage_account"], missing: missingReference, tie: "follows" }],
  check: async ({ operation, planned }, context) => {
    if (operation === "delete") return [];
    const owner = await context.find({ type: "azurerm_storage_account", id: textOf(planned["storage_account_id"]) });
    const copies = textOf(owner?.attributes["account_replication_type"]);
    const rules = isList(planned["rule"]) ? planned["rule"].filter(isMap) : [];
    const names = textsAt(planned["rule"] ?? [], "name").map((name) => name.toLowerCase());
    if (new Set(names).size < names.length)
      return [{ code: "InvalidRequestPropertyValue", message: "Rule name must be unique within a policy." }];
    const archives = rules.some((rule) => {
      const days = blockOf(blockOf(rule, "actions"), "base_blob")["tier_to_archive_after_days_since_modification_greater_than"];
      return typeof days === "number" && days >= 0;
    });
    if (!archives || !copies.endsWith("ZRS")) return [];
    const message = `The value of the property 'tierToArchive' is invalid: the archive tier is not supported for accounts with the redundancy ${copies}.`;
    return [{ code: "InvalidRequestPropertyValue", message }];
  },
};

const immutabilityPolicy: AzureResource = {
  noun: "Immutability Policy",
  path: "{storage_container_resource_manager_id}/immutabilityPolicies/default",
  defaults: { locked: false, protected_append_writes_all_enabled: false, protected_append_writes_enabled: false },
  takes: { create: 2, update: 1, delete: 1 },
  names: [
    {
      path: "storage_container_resource_manager_id",
      to: ["azurerm_storage_container"],
      missing: missingReference,
      tie: "follows",
    },
  ],
  check: ({ operation, prior, planned }) => {
    if (operation === "create" || prior["locked"] !== true) return [];
    const [before, after] = [numberOf(prior["immutability_period_in_days"]), numberOf(planned["immutability_period_in_days"])];
    if (operation === "update" && planned["locked"] === true && after >= before) return [];
    const message = "Operation not allowed on a locked immutability policy.";
    return [{ code: "ContainerImmutabilityPolicyFailure", message, status: 409 }];
  },
};

/** The storage account resource types. */
export const accounts = {
  azurerm_storage_account: account,
  azurerm_storage_container: container,
  azurerm_storage_management_policy: managementPolicy,
  azurerm_storage_container_immutability_policy: immutabilityPolicy,
} as const;
