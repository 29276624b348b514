import type { Refusal } from "../refusal.ts";
import type { Reference } from "../resource.ts";

/** Returns AKS's error for an invalid parameter. */
export function badRequest(message: string, ...path: readonly string[]): Refusal {
  return { code: "BadRequest", message, ...(path.length === 0 ? {} : { path }) };
}

/** Creates a reference to a subnet. The subnet cannot be deleted while nodes or an API server use it. */
export function inSubnet(path: string): Reference {
  const missing = (id: string): Refusal => ({
    code: "InvalidParameter",
    message: `The value of parameter agentPoolProfile.vnetSubnetID is invalid. Error details: the subnet ${id} was not found.`,
  });
  return { path, to: ["azurerm_subnet"], missing, tie: "holds" };
}
