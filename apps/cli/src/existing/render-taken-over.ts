import type { EntityByKind, ExistingNodePoolJson } from "@cloudwright/api-client";

/** Node pool entities for pools that exist in the cloud, and the pools that no entity can represent. */
export interface TakenOver {
  readonly entities: readonly EntityByKind["NodePool"][];
  readonly skipped: readonly { readonly pool: string; readonly reason: string }[];
}

const isName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Renders the node pool entities for existing pools. They describe the pools exactly as they are, so the takeover changes nothing. */
export function renderTakenOver(pools: readonly ExistingNodePoolJson[], known: ReadonlySet<string>): TakenOver {
  const open = pools.filter(({ name = "" }) => !known.has(name));
  return {
    entities: open.filter(({ name = "" }) => isName.test(name)).map(renderEntity),
    skipped: open
      .filter(({ name = "" }) => !isName.test(name))
      .map(({ name = "" }) => ({
        pool: name,
        reason: "its name cannot be used for a node pool entity; use only lower-case letters, digits and hyphens",
      })),
  };
}

function renderEntity({
  name = "",
  nodes = 0,
  min = nodes,
  max = nodes,
  instanceTypes = [],
  nodeLabels = {},
  autoscaling = false,
}: ExistingNodePoolJson) {
  const [only] = instanceTypes;
  return {
    metadata: { name },
    spec: {
      existing: true,
      min,
      desired: nodes,
      max,
      nodeLabels,
      ...(autoscaling ? { autoscaling } : {}),
      ...(instanceTypes.length > 1 ? { instanceTypes } : only === undefined ? {} : { instanceType: only }),
    },
  };
}
