import { isObject } from "@cloudwright/platform";
import type { PlannedChange } from "../../executor/executor-plan.ts";
import type { PreviewItem } from "../../executor/preview-item.ts";

const retiringTag = "cloudwright:retiring";

/** Describes planned changes to NAT gateways and addresses that the next run deletes. Returns undefined for other resources. */
export function describeNetworkChange({ address, action, before, after }: PlannedChange): readonly PreviewItem[] | undefined {
  const zones = findDestination(after);
  if (action !== "update" || zones === undefined || zones === findDestination(before)) return undefined;
  const message = `no longer used; a second run of the same operation deletes it once the routes have moved to ${zones}`;
  return [{ part: "infrastructure", name: address, action, message }];
}

/** Returns the zones that take over the traffic of a gateway that is no longer used. Returns undefined for other resources. */
function findDestination(attributes: PlannedChange["before"]): string | undefined {
  const tags = isObject(attributes) ? attributes["tags"] : undefined;
  const zones = isObject(tags) ? tags[retiringTag] : undefined;
  return typeof zones === "string" && zones !== "" ? zones.replaceAll("+", ", ") : undefined;
}
