import { findRegion, listRegions } from "../../../cloud/regions.ts";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { parameterOf } from "../arm-resources.ts";
import { idsOf } from "../credentials.ts";

/** The services that are registered in every simulated subscription. */
const namespaces = [
  "Microsoft.Authorization",
  "Microsoft.Compute",
  "Microsoft.ContainerService",
  "Microsoft.KeyVault",
  "Microsoft.ManagedIdentity",
  "Microsoft.Network",
  "Microsoft.OperationalInsights",
  "Microsoft.Resources",
  "Microsoft.Storage",
];

/** Operations on subscriptions. */
export const subscriptionOperations: readonly ApiOperation[] = [
  {
    name: "Subscriptions_List",
    match: { method: "GET", path: "/subscriptions" },
    async run(call) {
      const groups = await call.scope.inventory.list(call.caller.tenant, "azurerm_resource_group");
      const ids = groups.map(({ id }) => id.split("/")[2] ?? "");
      const own = [...new Set([idsOf(call.caller.tenant).subscriptionId, ...ids])];
      return { content: { value: own.map((id) => describe(call, id)), count: { type: "Total", value: own.length } } };
    },
  },
  {
    name: "Subscriptions_Get",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}" },
    run: async (call) => ({ content: describe(call, parameterOf(call, "subscriptionId")) }),
  },
  {
    name: "Subscriptions_ListLocations",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/locations" },
    async run(call) {
      const path = `/subscriptions/${parameterOf(call, "subscriptionId")}/locations`;
      return { content: { value: listRegions("azure").map((name) => describeLocation(path, name)) } };
    },
  },
  {
    name: "Tenants_List",
    match: { method: "GET", path: "/tenants" },
    async run({ caller }) {
      const { tenantId } = idsOf(caller.tenant);
      return { content: { value: [{ id: `/tenants/${tenantId}`, tenantId, displayName: "Simulated" }] } };
    },
  },
  {
    name: "Providers_List",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/providers" },
    run: async (call) => ({ content: { value: namespaces.map((namespace) => describeProvider(call, namespace)) } }),
  },
  {
    name: "Permissions_ListForSubscription",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/providers/Microsoft.Authorization/permissions" },
    run: async () => ({ content: { value: [everything] } }),
  },
  {
    name: "Permissions_ListForResourceGroup",
    match: {
      method: "GET",
      path: "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.Authorization/permissions",
    },
    run: async () => ({ content: { value: [everything] } }),
  },
];

/** The caller owns its simulated subscription. */
const everything = { actions: ["*"], notActions: [], dataActions: ["*"], notDataActions: [] };

function describe({ caller }: ApiCall, subscriptionId: string): Record<string, unknown> {
  return {
    id: `/subscriptions/${subscriptionId}`,
    subscriptionId,
    tenantId: idsOf(caller.tenant).tenantId,
    displayName: "Simulated",
    state: "Enabled",
    authorizationSource: "RoleBased",
    subscriptionPolicies: { locationPlacementId: "Public_2014-09-01", quotaId: "PayAsYouGo_2014-09-01", spendingLimit: "Off" },
  };
}

function describeProvider(call: ApiCall, namespace: string): Record<string, unknown> {
  const id = `/subscriptions/${parameterOf(call, "subscriptionId")}/providers/${namespace}`;
  return { id, namespace, registrationState: "Registered", registrationPolicy: "RegistrationRequired", resourceTypes: [] };
}

function describeLocation(path: string, name: string): Record<string, unknown> {
  const zones = findRegion("azure", name)?.zones.map((zone) => zone.split("-").at(-1) ?? "") ?? [];
  const mappings = zones.map((zone) => ({ logicalZone: zone, physicalZone: `${name}-az${zone}` }));
  return {
    id: `${path}/${name}`,
    name,
    displayName: name,
    regionalDisplayName: name,
    type: "Region",
    metadata: { regionType: "Physical", regionCategory: "Recommended" },
    ...(mappings.length === 0 ? {} : { availabilityZoneMappings: mappings }),
  };
}
