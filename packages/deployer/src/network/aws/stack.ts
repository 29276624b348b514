import { nextRunOutput } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import { awsOf } from "./aws-of.ts";
import { renderFirstVariables } from "./first-variables.ts";
import { findRoute } from "./find-route.ts";
import { describeNetworkChange } from "./preview.ts";
import { renderVariables } from "./variables.ts";

const first = {
  network_id: "text",
  public_subnet_ids: "texts",
  private_subnet_ids: "texts",
  intra_subnet_ids: "texts",
} as const;

const whole = {
  ...first,
  cidr: "text",
  zones: "texts",
  nat_public_ips: "texts",
  load_balancer_public_ips: "texts",
  load_balancer_ip_ids: "texts",
  discovery: "text",
} as const;

const later = { ...whole, nat_zones: "texts" } as const;
const latest = { ...later, nat_retiring: "texts", ipv6_cidr: "text" } as const;

/** Detects the configuration version from its outputs. Each version keeps the outputs of its predecessors and adds new ones. */
function fieldsOf(outputs: object): typeof first | typeof whole | typeof later | typeof latest {
  if (Object.hasOwn(outputs, "nat_retiring")) return latest;
  return Object.hasOwn(outputs, "nat_zones") ? later : Object.hasOwn(outputs, "cidr") ? whole : first;
}

/** A VPC with public, private and intra subnets in each zone, or an existing VPC that is left unchanged. */
export const awsNetwork: Stack<"Network"> = {
  service: "network",
  cloud: "aws",
  variables: (entity, _account, { outputs }, version) =>
    version.startsWith("v0.") ? renderFirstVariables(entity) : renderVariables(entity, version, outputs),
  removalVariables({ name, project, uid, spec }, _around, version) {
    const { region } = spec;
    if (version.startsWith("v0.")) return undefined;
    return { vpc_name: name, region, aws_azs: [`${region}a`], owner: { project, entity: uid } };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, fieldsOf(outputs));
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the network's configuration are invalid: ${said}`);
    }
    const retiring = "nat_retiring" in values ? (values.nat_retiring ?? []) : [];
    if (retiring.length === 0) return values;
    return { ...values, [nextRunOutput]: `delete the NAT gateways that no route uses any more, in ${retiring.join(", ")}` };
  },
  describeChange: describeNetworkChange,
  // Route table associations are identified by their subnet, and role policies by their role.
  findUntagged({ type, names }, tagged, declares, { spec }) {
    if (type === "aws_vpc_ipv4_cidr_block_association") {
      // Others may add ranges to the VPC. Only the ranges in the spec belong to the platform.
      const range = awsOf(spec).secondaryCidrs.find((each) => names.includes(each));
      return range === undefined ? undefined : `${type}.secondary[${JSON.stringify(range)}]`;
    }
    if (type === "aws_route") return findRoute(names, tagged, declares);
    const owner = owners[type];
    const address = names.map((id) => tagged.get(id)).find((each) => owner !== undefined && each?.startsWith(`${owner}.`));
    return owner === undefined ? undefined : address?.replace(owner, type);
  },
};

const owners: Readonly<Record<string, string>> = {
  aws_route_table_association: "aws_subnet",
  aws_iam_role_policy: "aws_iam_role",
};
