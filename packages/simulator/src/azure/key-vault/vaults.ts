import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext, SideEffects } from "../../provider/definition.ts";
import { mapOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { hasRole } from "../identity/role-assignments.ts";
import { guid } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";
import { findDeleted, isPurged, listPurges, type DeletedVault } from "./soft-delete.ts";

const vault: AzureResource = {
  noun: "Key Vault",
  path: `${inGroup}/Microsoft.KeyVault/vaults/{name}`,
  forceNew: ["name"],
  defaults: { public_network_access_enabled: true, soft_delete_retention_days: 90 },
  takes: { create: 60, update: 10, delete: 15 },
  validate: ({ name, soft_delete_retention_days: days }) => [
    ...(typeof name === "string" && !/^[a-zA-Z]([a-zA-Z0-9]|-(?=[a-zA-Z0-9])){2,23}$/.test(name)
      ? [
          {
            summary: `"name" may only contain alphanumeric characters and dashes and must be between 3-24 chars`,
            path: ["name"],
          },
        ]
      : []),
    ...(typeof days === "number" && (days < 7 || days > 90)
      ? [
          {
            summary: `expected soft_delete_retention_days to be in the range (7 - 90), got ${days}`,
            path: ["soft_delete_retention_days"],
          },
        ]
      : []),
  ],
  check: (change, context) => checkVault(change, context),
  compute: ({ planned }) => ({ vault_uri: uriOf(textOf(planned["name"])), access_policy: [] }),
  sideEffects: (change, context) => followVault(change, context),
};

async function checkVault({ operation, id, prior, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "delete") return [];
  const name = textOf(planned["name"]);
  if (operation === "update") {
    return prior["purge_protection_enabled"] === true && planned["purge_protection_enabled"] !== true
      ? [
          {
            code: "BadRequest",
            message: `once Purge Protection has been Enabled it's not possible to disable it`,
            path: ["purge_protection_enabled"],
          },
        ]
      : [];
  }
  const others = await context.list("azurerm_key_vault");
  const taken: Refusal = {
    code: "VaultAlreadyExists",
    message: `The vault name '${name}' is already in use. Vault names are globally unique so it is possible that the name is already taken.`,
    status: 409,
    path: ["name"],
  };
  if (others.some((record) => record.attributes["name"] === name && record.id !== id)) return [taken];
  const deleted = await findDeleted(name, context);
  // The provider recovers a deleted vault only if the new vault has the same id.
  return deleted === undefined || deleted.vaultId === id ? [] : [taken];
}

/**
 * Keeps a record of a deleted vault until it is purged. The provider purges a vault on deletion, unless purge protection or the provider's
 * settings prevent that.
 */
async function followVault({ operation, id, prior, planned }: AzureChange, context: HookContext): Promise<SideEffects> {
  const purges = await listPurges(context);
  if (operation === "create") {
    const deleted = await findDeleted(textOf(planned["name"]), context);
    return { delete: deleted === undefined ? purges : [...purges, deleted.key] };
  }
  if (operation !== "delete" || isPurged(prior, context)) return { delete: purges };
  const days = numberOf(prior["soft_delete_retention_days"]) || 90;
  const record: DeletedVault = {
    name: textOf(prior["name"]),
    vault_id: id,
    location: textOf(prior["location"]),
    purge_protection_enabled: prior["purge_protection_enabled"] === true,
    scheduled_purge_date: new Date(context.nowMs + days * 86_400_000 * context.conditions.timeScale).toISOString(),
  };
  return { put: [{ type: "azurerm_deleted_key_vault", id: record.name, attributes: { ...record } }], delete: purges };
}

const key: AzureResource = {
  noun: "Key",
  path: (planned, context) =>
    `${uriOf(vaultNameOf(planned))}keys/${textOf(planned["name"])}/${guid(`${context.nowMs} ${textOf(planned["name"])}`).replaceAll("-", "")}`,
  forceNew: ["key_vault_id", "key_type", "key_size", "curve"],
  takes: { create: 3, update: 1, delete: 5 },
  names: [
    {
      path: "key_vault_id",
      to: ["azurerm_key_vault"],
      missing: (id) => ({ code: "VaultNotFound", message: `A vault with the id ${id} was not found.`, status: 404 }),
      tie: "follows",
    },
  ],
  check: (change, context) => checkKey(change, context),
  compute: ({ id, planned }) => describeKey(id, planned),
};

async function checkKey({ operation, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "delete") return [];
  const found = await context.find({ type: "azurerm_key_vault", id: textOf(planned["key_vault_id"]) });
  if (found === undefined) return [];
  const caller = guid(`object ${context.tenant}`);
  const officer = ["Key Vault Administrator", "Key Vault Crypto Officer"];
  if (await mayUse(found, caller, "Create", officer, context)) return [];
  const message = `Caller is not authorized to perform action on resource.\r\nAction: 'Microsoft.KeyVault/vaults/keys/create/action'\r\nVault: ${textOf(found.attributes["name"])};location=${textOf(found.attributes["location"])}`;
  return [{ code: "Forbidden", message, status: 403 }];
}

/** Returns whether a principal may perform a key operation in a vault, through an access policy or a role. */
export async function mayUse(
  { id, attributes }: CloudRecord,
  principal: string,
  permission: string,
  accepted: readonly string[],
  context: HookContext,
): Promise<boolean> {
  if (attributes["rbac_authorization_enabled"] === true) return hasRole(principal, accepted, id, context);
  const policies = isList(attributes["access_policy"]) ? attributes["access_policy"].map((policy) => mapOf(policy)) : [];
  return policies.some(
    (policy) =>
      policy["object_id"] === principal &&
      textsAt(policy, "key_permissions").some((given) => given.toLowerCase() === permission.toLowerCase()),
  );
}

function describeKey(id: string, planned: ValueMap): Record<string, Value> {
  const version = id.split("/").at(-1) ?? "";
  const versionless = id.slice(0, -version.length - 1);
  const resource = `${textOf(planned["key_vault_id"])}/keys/${textOf(planned["name"])}`;
  return {
    version,
    versionless_id: versionless,
    resource_id: `${resource}/versions/${version}`,
    resource_versionless_id: resource,
    curve: "",
    e: "AQAB",
    n: guid(id).replaceAll("-", "").repeat(8),
    x: "",
    y: "",
    public_key_pem: "",
    public_key_openssh: "",
  };
}

function uriOf(vaultName: string): string {
  return `https://${vaultName.toLowerCase()}.vault.azure.net/`;
}

function vaultNameOf(planned: ValueMap): string {
  return textOf(planned["key_vault_id"]).split("/").at(-1) ?? "";
}

/** The Key Vault resource types. */
export const vaults = { azurerm_key_vault: vault, azurerm_key_vault_key: key } as const;
