import { renderError } from "./answer.ts";
import { fill } from "./arm-store.ts";
import { AzureRefusal, type ResourceType } from "./resource-type.ts";

const account = "microsoft.storage/storageaccounts";

export const storageTypes: Readonly<Record<string, ResourceType>> = {
  [account]: {
    statuses: { create: 202, remove: 200 },
    complete(resource, previous, store) {
      const { name, properties } = resource;
      if (!/^[a-z0-9]{3,24}$/.test(name))
        throw new AzureRefusal(400, "AccountNameInvalid", `${name} is not a valid account name.`);
      resource["sku"] = { name: resource["sku"].name, tier: "Standard" };
      resource["kind"] ??= previous?.["kind"];
      const host = (service: string): string => `https://${name}.${service}.core.windows.net/`;
      fill(properties, {
        primaryEndpoints: Object.fromEntries(["blob", "dfs", "file", "queue", "table", "web"].map((each) => [each, host(each)])),
        primaryLocation: resource.location,
        statusOfPrimary: "available",
        accessTier: "Hot",
        encryption: {
          keySource: "Microsoft.Storage",
          services: { blob: { enabled: true, keyType: "Account" }, file: { enabled: true, keyType: "Account" } },
        },
        networkAcls: {
          bypass: "AzureServices",
          defaultAction: "Allow",
          ipRules: [],
          virtualNetworkRules: [],
          resourceAccessRules: [],
        },
        publicNetworkAccess: "Enabled",
        dnsEndpointType: "Standard",
      });
      if (/_(RA)?G/.test(resource["sku"].name))
        fill(properties, { secondaryLocation: "northeurope", statusOfSecondary: "available" });
      for (const service of ["blob", "file"]) {
        const id = `${resource.id}/${service}Services/default`;
        if (store.get(id) !== undefined) continue;
        const defaults = {
          blob: { cors: { corsRules: [] }, deleteRetentionPolicy: { enabled: false } },
          file: {
            cors: { corsRules: [] },
            shareDeleteRetentionPolicy: { enabled: true, days: 7 },
            protocolSettings: { smb: {} },
          },
        };
        store.put({
          id,
          name: "default",
          type: `${account}/${service}services`,
          properties: defaults[service as "blob" | "file"],
        });
      }
    },
    act: (action, resource) =>
      action === "listKeys"
        ? {
            status: 200,
            body: {
              keys: ["key1", "key2"].map((keyName) => ({
                keyName,
                value: Buffer.from(resource.name + keyName).toString("base64"),
                permissions: "FULL",
              })),
            },
          }
        : undefined,
    checkRemoval(resource, store) {
      const locked = store
        .list(`${account}/blobservices/containers/immutabilitypolicies`, resource.id)
        .find(({ properties }) => properties.state === "Locked");
      if (locked !== undefined) {
        throw new AzureRefusal(
          409,
          "StorageAccountOperationNotAllowed",
          `${resource.name} has a container with a locked policy.`,
        );
      }
    },
  },
  [`${account}/blobservices`]: {
    statuses: { create: 200 },
    complete: ({ properties }) => fill(properties, { cors: { corsRules: [] }, deleteRetentionPolicy: { enabled: false } }),
  },
  [`${account}/fileservices`]: { statuses: { create: 200 } },
  [`${account}/blobservices/containers`]: {
    statuses: { create: 201, remove: 200 },
    complete(resource, _previous, store) {
      resource["etag"] = '"1"';
      fill(resource.properties, {
        publicAccess: "None",
        defaultEncryptionScope: "$account-encryption-key",
        denyEncryptionScopeOverride: false,
        hasLegalHold: false,
        leaseState: "Available",
        leaseStatus: "Unlocked",
      });
      resource.properties.hasImmutabilityPolicy = store.get(`${resource.id}/immutabilityPolicies/default`) !== undefined;
    },
    checkRemoval(resource, store) {
      const policy = store.get(`${resource.id}/immutabilityPolicies/default`);
      if (policy?.properties.state === "Locked") {
        throw new AzureRefusal(409, "ContainerProtectedFromDeletion", `${resource.name} has a locked immutability policy.`);
      }
    },
  },
  [`${account}/blobservices/containers/immutabilitypolicies`]: {
    statuses: { create: 200, remove: 200 },
    complete(resource, previous) {
      resource["etag"] = '"2"';
      const { properties } = resource;
      const days = properties.immutabilityPeriodSinceCreationInDays as number;
      if (previous?.properties.state === "Locked" && days < previous.properties.immutabilityPeriodSinceCreationInDays) {
        throw new AzureRefusal(409, "ImmutabilityPolicyLocked", "A locked policy cannot be shortened.");
      }
      properties.state = previous?.properties.state ?? "Unlocked";
    },
    checkRemoval({ properties }) {
      if (properties.state === "Locked") throw new AzureRefusal(409, "ImmutabilityPolicyLocked", "The policy is locked.");
    },
    act(action, resource) {
      if (action === "lock") resource.properties.state = "Locked";
      else if (action !== "extend") return renderError(404, "NotFound", action);
      return { status: 200, body: resource };
    },
  },
  [`${account}/managementpolicies`]: {
    statuses: { create: 200, remove: 200 },
    complete: ({ properties }) => void (properties.lastModifiedTime = "2026-01-01T00:00:00Z"),
  },
  "microsoft.compute/disks": {
    statuses: { create: 202, update: 202 },
    complete(resource, previous) {
      const { properties } = resource;
      const before = previous?.properties.diskSizeGB as number | undefined;
      if (before !== undefined && properties.diskSizeGB < before) {
        throw new AzureRefusal(400, "BadRequest", "Disks cannot shrink.");
      }
      const [sku] = [resource["sku"].name as string];
      resource["sku"].tier = sku.split("_")[0];
      if (/V2|Ultra/.test(sku) && !(resource["zones"]?.length > 0)) {
        throw new AzureRefusal(400, "InvalidParameter", `${sku} requires a zone.`);
      }
      if (
        !/V2|Ultra/.test(sku) &&
        previous === undefined &&
        (properties.diskIOPSReadWrite !== undefined || properties.diskMBpsReadWrite !== undefined)
      ) {
        throw new AzureRefusal(400, "InvalidParameter", `${sku} has no settings for IOPS and throughput.`);
      }
      const size = properties.diskSizeGB as number;
      fill(properties, {
        diskIOPSReadWrite: /V2|Ultra/.test(sku) ? 3000 : Math.max(120, Math.min(20_000, size)),
        diskMBpsReadWrite: /V2|Ultra/.test(sku) ? 125 : 25,
        encryption: { type: "EncryptionAtRestWithPlatformKey" },
        networkAccessPolicy: "AllowAll",
        publicNetworkAccess: "Enabled",
        diskState: "Unattached",
        osType: undefined,
        timeCreated: "2026-01-01T00:00:00Z",
        uniqueId: "00000000-0000-0000-0000-000000000001",
      });
      if (/V2|Ultra/.test(sku)) fill(properties.creationData, { logicalSectorSize: 4096 });
      properties.diskSizeBytes = size * 2 ** 30;
    },
  },
};
