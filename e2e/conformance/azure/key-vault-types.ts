import { randomBytes, generateKeyPairSync } from "node:crypto";
import { renderError, type Answer, type ApiRequest } from "./answer.ts";
import { copy, fill, type ArmStore, type Resource } from "./arm-store.ts";
import { caller, tenant } from "./identity-types.ts";
import { AzureRefusal, type ResourceType } from "./resource-type.ts";

const vaultType = "microsoft.keyvault/vaults";
const deletedType = "microsoft.keyvault/locations/deletedvaults";

export const keyVaultTypes: Readonly<Record<string, ResourceType>> = {
  [vaultType]: {
    statuses: { create: 201, remove: 200 },
    complete(resource, previous, store) {
      const { properties } = resource;
      const deleted = findDeleted(store, resource);
      if (deleted !== undefined && properties.createMode !== "recover") {
        throw new AzureRefusal(409, "ConflictError", `A vault with the name ${resource.name} is deleted and can be recovered.`);
      }
      if (deleted !== undefined) store.remove(deleted.id);
      if (previous?.properties.enablePurgeProtection === true && properties.enablePurgeProtection === false) {
        throw new AzureRefusal(400, "BadRequest", "Purge protection cannot be turned off.");
      }
      delete properties.createMode;
      fill(properties, {
        vaultUri: `https://${resource.name}.vault.azure.net/`,
        tenantId: tenant,
        softDeleteRetentionInDays: 90,
        enableSoftDelete: true,
        publicNetworkAccess: "Enabled",
      });
    },
    removed(resource, store) {
      const id = `/subscriptions/${resource.id.split("/")[2]}/providers/Microsoft.KeyVault/locations/${resource.location}/deletedVaults/${resource.name}`;
      const { enablePurgeProtection } = resource.properties;
      store.put({
        id,
        name: resource.name,
        type: deletedType,
        properties: {
          vaultId: resource.id,
          location: resource.location,
          ...(enablePurgeProtection === true ? { purgeProtectionEnabled: true } : {}),
        },
      });
    },
  },
  [deletedType]: {
    act(action, resource, _request, store) {
      if (action !== "purge") return undefined;
      if (resource.properties.purgeProtectionEnabled === true) {
        return renderError(403, "DeletedVaultPurge", `${resource.name} has purge protection.`);
      }
      store.remove(resource.id);
      return { status: 202 };
    },
  },
};

function findDeleted(store: ArmStore, { name }: Resource): Resource | undefined {
  return store.list(deletedType).find((deleted) => deleted.name.toLowerCase() === name.toLowerCase());
}

interface Key {
  readonly bundle: { key: Record<string, unknown>; attributes: Record<string, unknown>; tags?: unknown };
  isDeleted: boolean;
}

/** The vaults' own hosts, `<name>.vault.azure.net`, which store keys. */
export interface KeyVaultApi {
  answer(request: ApiRequest): Answer;
  /** Deletes the keys of all vaults. */
  reset(): void;
}

export function createKeyVaultApi(store: ArmStore): KeyVaultApi {
  const keys = new Map<string, Key>();
  const modulus = String(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" }).n);

  function answer({ host, method, path, body }: ApiRequest): Answer {
    const name = host.split(".")[0] ?? "";
    const vault = store.list(vaultType).find((each) => each.name === name);
    if (vault === undefined) return renderError(404, "VaultNotFound", name);
    const [kind, keyName = "", part = ""] = path.split("/").filter((segment) => segment !== "");
    if (kind === undefined) return renderError(404, "NotFound", path);
    // The configurations grant Terraform's identity permissions on keys only.
    if (kind !== "keys" && kind !== "deletedkeys")
      return renderError(403, "Forbidden", `The caller has no permissions on ${kind}.`);
    const allows = (operation: string): boolean => mayUse(vault, caller.objectId, operation);
    const forbidden = (operation: string): Answer =>
      renderError(403, "Forbidden", `The caller does not have keys ${operation} permission on key vault '${name}'.`);
    const address = `${name}/${keyName}`.toLowerCase();
    const key = keys.get(address);
    const missing = renderError(404, "KeyNotFound", `A key with name ${keyName} was not found in this key vault.`);
    if (kind === "deletedkeys") {
      if (key?.isDeleted !== true) return missing;
      if (method === "GET") return allows("Get") ? { status: 200, body: key.bundle } : forbidden("get");
      if (method === "DELETE") {
        if (!allows("Purge") || vault.properties.enablePurgeProtection === true) return forbidden("purge");
        keys.delete(address);
        return { status: 204 };
      }
      if (part === "recover") {
        if (!allows("Recover")) return forbidden("recover");
        key.isDeleted = false;
        return { status: 200, body: key.bundle };
      }
    }
    if (part === "create") {
      if (!allows("Create")) return forbidden("create");
      if (key?.isDeleted === true) return renderError(409, "ObjectIsDeletedButRecoverable", `Key ${keyName} is deleted.`);
      const { kty, key_ops: operations, attributes = {}, tags } = body as Record<string, Record<string, unknown>>;
      const now = Math.floor(Date.now() / 1000);
      const created: Key = {
        isDeleted: false,
        bundle: {
          key: {
            kid: `https://${name}.vault.azure.net/keys/${keyName}/${randomBytes(16).toString("hex")}`,
            kty,
            key_ops: operations,
            n: modulus,
            e: "AQAB",
          },
          attributes: {
            enabled: true,
            created: now,
            updated: now,
            recoveryLevel: "CustomizedRecoverable+Purgeable",
            ...attributes,
          },
          tags,
        },
      };
      keys.set(address, created);
      return { status: 200, body: created.bundle };
    }
    if (key === undefined || key.isDeleted) return missing;
    if (part === "rotationpolicy") {
      if (!allows("GetRotationPolicy")) return forbidden("getrotationpolicy");
      return {
        status: 200,
        body: { id: `https://${name}.vault.azure.net/keys/${keyName}/rotationpolicy`, lifetimeActions: [], attributes: {} },
      };
    }
    switch (method) {
      case "GET":
        return allows("Get") ? { status: 200, body: key.bundle } : forbidden("get");
      case "PATCH":
        if (!allows("Update")) return forbidden("update");
        Object.assign(key.bundle, { tags: copy((body as { tags?: unknown }).tags) });
        return { status: 200, body: key.bundle };
      case "DELETE":
        if (!allows("Delete")) return forbidden("delete");
        key.isDeleted = true;
        return { status: 200, body: { ...key.bundle, recoveryId: `https://${name}.vault.azure.net/deletedkeys/${keyName}` } };
      default:
        return renderError(405, "MethodNotAllowed", `${method} ${path}`);
    }
  }

  return { answer, reset: () => keys.clear() };
}

/** Returns whether a vault's access policies grant an identity permission for a key operation. */
export function mayUse(vault: Resource, objectId: string, operation: string): boolean {
  const policies = (vault.properties.accessPolicies ?? []) as { objectId: string; permissions: { keys?: string[] } }[];
  return policies.some(
    (policy) =>
      policy.objectId === objectId &&
      policy.permissions.keys?.some((permission) => permission.toLowerCase() === operation.toLowerCase()) === true,
  );
}
