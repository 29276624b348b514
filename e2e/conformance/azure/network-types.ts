import { fill, type ArmStore, type Resource } from "./arm-store.ts";
import { guid } from "./identity-types.ts";
import { AzureRefusal, type ResourceType } from "./resource-type.ts";

const prefix = "microsoft.network";
/** Returns the subnets that refer to a resource in the given property. */
function listUsers(store: ArmStore, property: string, { id }: Resource): Resource[] {
  return store
    .list(`${prefix}/virtualnetworks/subnets`)
    .filter(({ properties }) => properties[property]?.id?.toLowerCase() === id.toLowerCase());
}

function refuseIfUsed(code: string, users: readonly Resource[], { id }: Resource): void {
  if (users.length > 0) throw new AzureRefusal(400, code, `${id} is in use by ${users.map((user) => user.id).join(", ")}.`);
}

function requireExisting(store: ArmStore, reference: { id?: string } | null | undefined): void {
  if (reference?.id !== undefined && store.get(reference.id) === undefined) {
    throw new AzureRefusal(400, "InvalidResourceReference", `Resource ${reference.id} referenced by the request was not found.`);
  }
}

let addresses = 0;

export const networkTypes: Readonly<Record<string, ResourceType>> = {
  [`${prefix}/virtualnetworks`]: {
    children: { subnets: `${prefix}/virtualnetworks/subnets` },
    complete(resource) {
      resource["etag"] = 'W/"1"';
      fill(resource.properties, { resourceGuid: guid(resource.id), enableDdosProtection: false, virtualNetworkPeerings: [] });
      // Azure stores DHCP options only if DNS servers are set.
      if (resource.properties.dhcpOptions?.dnsServers === undefined) delete resource.properties.dhcpOptions;
    },
  },
  [`${prefix}/virtualnetworks/subnets`]: {
    complete({ properties }, _previous, store) {
      fill(properties, {
        privateEndpointNetworkPolicies: "Disabled",
        privateLinkServiceNetworkPolicies: "Enabled",
        delegations: [],
        defaultOutboundAccess: true,
      });
      for (const delegation of properties.delegations) {
        delegation.id = "";
        delegation.properties.provisioningState = "Succeeded";
        delegation.properties.actions ??= ["Microsoft.Network/virtualNetworks/subnets/join/action"];
      }
      for (const endpoint of properties.serviceEndpoints ?? []) {
        endpoint.locations ??= endpoint.service === "Microsoft.Storage" ? ["westeurope", "northeurope"] : ["*"];
        endpoint.provisioningState = "Succeeded";
      }
      for (const property of ["networkSecurityGroup", "routeTable", "natGateway"]) requireExisting(store, properties[property]);
    },
    checkRemoval(resource, store) {
      const clusters = store
        .list("microsoft.containerservice/managedclusters")
        .filter((cluster) => JSON.stringify(cluster).toLowerCase().includes(`"${resource.id.toLowerCase()}"`));
      refuseIfUsed("InUseSubnetCannotBeDeleted", clusters, resource);
    },
  },
  [`${prefix}/networksecuritygroups`]: {
    children: { securityRules: `${prefix}/networksecuritygroups/securityrules` },
    checkRemoval: (resource, store) =>
      refuseIfUsed("InUseNetworkSecurityGroupCannotBeDeleted", listUsers(store, "networkSecurityGroup", resource), resource),
  },
  [`${prefix}/networksecuritygroups/securityrules`]: {
    complete(resource, _previous, store) {
      const { properties } = resource;
      const group = resource.id.slice(0, resource.id.toLowerCase().indexOf("/securityrules/"));
      const clash = store
        .list(`${prefix}/networksecuritygroups/securityrules`, group)
        .find(
          ({ name, properties: other }) =>
            name !== resource.name && other.priority === properties.priority && other.direction === properties.direction,
        );
      if (clash !== undefined)
        throw new AzureRefusal(400, "SecurityRuleConflict", `${resource.name} and ${clash.name} conflict.`);
      fill(properties, {
        sourceAddressPrefixes: [],
        destinationAddressPrefixes: [],
        sourcePortRanges: [],
        destinationPortRanges: [],
      });
    },
  },
  [`${prefix}/routetables`]: {
    children: { routes: `${prefix}/routetables/routes` },
    complete: ({ id, properties }) => fill(properties, { disableBgpRoutePropagation: false, resourceGuid: guid(id) }),
    render(resource, store) {
      const users = listUsers(store, "routeTable", resource);
      if (users.length > 0) resource.properties.subnets = users.map(({ id }) => ({ id }));
      return resource;
    },
    checkRemoval: (resource, store) =>
      refuseIfUsed("InUseRouteTableCannotBeDeleted", listUsers(store, "routeTable", resource), resource),
  },
  [`${prefix}/routetables/routes`]: {
    complete: ({ properties }) => fill(properties, { hasBgpOverride: false }),
  },
  [`${prefix}/publicipaddresses`]: {
    complete(resource) {
      addresses += 1;
      fill(resource, { sku: { name: "Standard", tier: "Regional" } });
      fill(resource.properties, {
        ipAddress: `203.0.113.${addresses % 250}`,
        publicIPAddressVersion: "IPv4",
        idleTimeoutInMinutes: 4,
        ipTags: [],
        ddosSettings: { protectionMode: "VirtualNetworkInherited" },
        resourceGuid: guid(resource.id),
      });
      if (resource["sku"].name === "StandardV2" && (resource["zones"] ?? []).length < 2) {
        throw new AzureRefusal(400, "StandardV2PublicIpMustBeZoneRedundant", `${resource.name} must span all zones.`);
      }
    },
    checkRemoval(resource, store) {
      const users = store
        .list(`${prefix}/natgateways`)
        .filter(({ properties }) => listAddresses(properties).includes(resource.id.toLowerCase()));
      refuseIfUsed("PublicIPAddressCannotBeDeleted", users, resource);
    },
  },
  [`${prefix}/natgateways`]: {
    complete(resource, previous, store) {
      const { properties } = resource;
      fill(properties, { idleTimeoutInMinutes: 4, resourceGuid: guid(resource.id) });
      if (previous !== undefined && previous["sku"].name !== resource["sku"].name) {
        throw new AzureRefusal(400, "NatGatewaySkuCannotBeChanged", `The SKU of ${resource.name} cannot be changed.`);
      }
      for (const id of listAddresses(properties)) {
        requireExisting(store, { id });
        if (store.get(id)?.["sku"].name !== resource["sku"].name) {
          throw new AzureRefusal(400, "NatGatewayAndPublicIpSkuMismatch", `${id} has another SKU than ${resource.name}.`);
        }
      }
    },
    checkRemoval: (resource, store) =>
      refuseIfUsed("InUseNatGatewayCannotBeDeleted", listUsers(store, "natGateway", resource), resource),
  },
  [`${prefix}/privatednszones`]: {
    statuses: { create: 202, update: 202 },
    complete({ id, properties }, _previous, store) {
      const soa = {
        email: "azureprivatedns-host.microsoft.com",
        expireTime: 2_419_200,
        host: "azureprivatedns.net",
        minimumTtl: 10,
        refreshTime: 3600,
        retryTime: 300,
        serialNumber: 1,
      };
      const record = `${id}/SOA/@`;
      if (store.get(record) === undefined) {
        store.put({
          id: record,
          name: "@",
          type: "",
          properties: { fqdn: `${id.split("/").at(-1)}.`, ttl: 3600, soaRecord: soa },
        });
      }
      fill(properties, {
        internalId: guid(id),
        maxNumberOfRecordSets: 25_000,
        maxNumberOfVirtualNetworkLinks: 1000,
        maxNumberOfVirtualNetworkLinksWithRegistration: 100,
        numberOfRecordSets: 1,
        numberOfVirtualNetworkLinks: store.list(`${prefix}/privatednszones/virtualnetworklinks`, id).length,
      });
    },
    checkRemoval(resource, store) {
      const links = store.list(`${prefix}/privatednszones/virtualnetworklinks`, resource.id);
      if (links.length > 0) throw new AzureRefusal(409, "CannotDeleteResource", `${resource.name} has nested resources.`);
    },
  },
  [`${prefix}/privatednszones/virtualnetworklinks`]: {
    statuses: { create: 202, update: 202 },
    complete: ({ properties }) =>
      fill(properties, { registrationEnabled: false, virtualNetworkLinkState: "Completed", resolutionPolicy: "Default" }),
  },
};

// oxlint-disable-next-line typescript/no-explicit-any
function listAddresses(properties: any): string[] {
  return [...(properties.publicIpAddresses ?? []), ...(properties.publicIpAddressesV6 ?? [])].map(({ id }) =>
    String(id).toLowerCase(),
  );
}
