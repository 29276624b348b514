import { cloudsFaults } from "../faults.ts";
import type { AzureApi } from "./api.ts";
import type { RouteTable, Subnet } from "./models.ts";
import { operations } from "./operations.ts";

/**
 * Returns whether the route table of a subnet has a route for all destinations. Returns undefined if the subnet does not exist or the
 * credentials do not allow reading it.
 */
export async function hasDefaultRoute(api: AzureApi, subnetId: string): Promise<boolean | undefined> {
  const find = <Found extends object>(doing: string, resourceId: string): Promise<Found | undefined> =>
    api.find<Found>(doing, operations.getNetworkResource, { path: { resourceId } });
  try {
    const subnet = await find<Subnet>("read a subnet", subnetId);
    if (subnet === undefined) return undefined;
    const table = subnet.properties?.routeTable?.id;
    if (table === undefined) return false;
    const { properties } = (await find<RouteTable>("read a route table", table)) ?? {};
    return (properties?.routes ?? []).some((route) => route.properties?.addressPrefix === "0.0.0.0/0");
  } catch (error) {
    if ((error as { readonly code?: string }).code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}
