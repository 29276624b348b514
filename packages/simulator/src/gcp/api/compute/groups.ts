import { textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { nodesPerZone } from "../../gke/node-pools.ts";
import { numericId } from "../../place.ts";
import { refuse } from "../errors.ts";
import { lastPart, linkOf, missing, operate, parameterOf, renderList, scopePath } from "./compute-records.ts";

const touches = { type: "google_container_node_pool", operation: "read" } as const;

/** Operations on managed instance groups. The simulator has only the groups that belong to GKE node pools. */
export const groupOperations: readonly ApiOperation[] = [
  operate("instanceGroupManagers.get", ["GET", "/zones/{zone}/instanceGroupManagers/{group}"], touches, async (call) => {
    const name = parameterOf(call, "group");
    const found = (await listGroups(call)).find((group) => group["name"] === name);
    return found ?? refuse(missing(`${scopePath(call)}/instanceGroupManagers/${name}`));
  }),
  operate("instanceGroupManagers.list", ["GET", "/zones/{zone}/instanceGroupManagers"], touches, async (call) =>
    renderList(call, "instanceGroupManagerList", await listGroups(call), `${scopePath(call)}/instanceGroupManagers`),
  ),
];

async function listGroups(call: ApiCall): Promise<readonly Record<string, unknown>[]> {
  const place = `/${scopePath(call)}/`;
  const pools = await listRecords(call, "google_container_node_pool");
  return pools.flatMap((pool) =>
    textsOf(pool.attributes["instance_group_urls"])
      .filter((url) => url.includes(place))
      .map((url) => renderGroup(call, pool, lastPart(url))),
  );
}

function renderGroup(call: ApiCall, { attributes }: CloudRecord, name: string): Record<string, unknown> {
  const size = nodesPerZone(attributes);
  const path = `${scopePath(call)}/instanceGroupManagers/${name}`;
  return {
    kind: "compute#instanceGroupManager",
    id: numericId(path),
    name,
    zone: linkOf(scopePath(call)),
    baseInstanceName: name.replace(/-grp$/, ""),
    targetSize: size,
    status: { isStable: true },
    instanceGroup: linkOf(path.replace("instanceGroupManagers", "instanceGroups")),
    selfLink: linkOf(path),
  };
}
