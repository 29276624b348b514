import { parseSchema } from "../schema/compact-schema.ts";
import type { ValueMap } from "../values/value.ts";
import type { Change, HookContext, Problem, ProviderDefinition, ResourceHooks } from "../provider/definition.ts";
import schema from "./schema.json" with { type: "json" };

const regions = ["north", "south"];
const cidrPattern = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/;

const network: ResourceHooks = {
  forceNew: ["cidr"],
  defaults: { mtu: 1500, "rule.protocol": "tcp" },
  validate: checkCidr,
  check: async ({ operation, id }, context) => {
    if (operation !== "delete") return [];
    const held = (await context.list("sim_subnet")).filter(({ attributes }) => attributes["network_id"] === id);
    return held.length === 0 ? [] : [{ summary: `Network ${id} still has ${held.length} subnets` }];
  },
  compute: (_change, context) => ({ region: regionOf(context) }),
};

const subnet: ResourceHooks = {
  forceNew: ["network_id", "cidr"],
  validate: checkCidr,
  check: async ({ operation, planned }, context) => {
    if (operation === "delete" || typeof planned?.["network_id"] !== "string") return [];
    const found = await context.find({ type: "sim_network", id: planned["network_id"] });
    return found === undefined ? [{ summary: `There is no network ${planned["network_id"]}`, path: ["network_id"] }] : [];
  },
  compute: (_change, context) => ({ zone: `${regionOf(context)}-a` }),
};

const cluster: ResourceHooks = {
  forceNew: ["name", "pool.name"],
  recompute: { platform: ["release"] },
  compute: ({ id, planned }: Change) => ({
    platform: `${planned?.["release"] as string}-sim.1`,
    endpoint: `https://${id}.sim.invalid`,
    kubeconfig: `{"server":"https://${id}.sim.invalid"}`,
  }),
};

const bucket: ResourceHooks = {
  forceNew: ["name"],
  defaults: { versioned: false },
  createId: (planned) => planned["name"] as string,
  compute: ({ id }) => ({ url: `sim://${id}` }),
};

/** A small provider for tests. It covers all nesting modes, sets, exact numbers, sensitive and write-only attributes, and data sources. */
export const simProvider: ProviderDefinition = {
  name: "sim",
  schema: parseSchema(schema),
  resources: { sim_network: network, sim_subnet: subnet, sim_cluster: cluster, sim_bucket: bucket },
  dataSources: {
    sim_zones: {
      read: (config, context) => {
        const region = typeof config["region"] === "string" ? config["region"] : regionOf(context);
        return { region, names: [`${region}-a`, `${region}-b`] };
      },
    },
  },
  validate: ({ region }) =>
    typeof region === "string" && !regions.includes(region)
      ? [{ summary: `There is no region ${region}`, path: ["region"] }]
      : [],
};

function regionOf(context: HookContext): string {
  return typeof context.provider["region"] === "string" ? context.provider["region"] : "north";
}

function checkCidr({ cidr }: ValueMap): readonly Problem[] {
  if (typeof cidr !== "string" || cidrPattern.test(cidr)) return [];
  return [{ summary: `"${cidr}" is not a range of addresses`, path: ["cidr"] }];
}
