import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import type { AwsResource } from "../resource.ts";
import { inVpc, notFound, ofGroups } from "./not-found.ts";

const isInterface = (attributes: { readonly [name: string]: unknown }): boolean =>
  attributes["vpc_endpoint_type"] === "Interface";

const endpoint: AwsResource = {
  service: "EC2",
  noun: "VPC Endpoint",
  calls: { create: "CreateVpcEndpoint", update: "ModifyVpcEndpoint", delete: "DeleteVpcEndpoints" },
  id: "vpce",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `vpc-endpoint/${id}`),
  forceNew: ["vpc_id", "service_name", "vpc_endpoint_type"],
  defaults: { vpc_endpoint_type: "Gateway", private_dns_enabled: false },
  names: [
    inVpc,
    { path: "subnet_ids", to: ["aws_subnet"], missing: notFound.subnet, tie: "holds" },
    { path: "route_table_ids", to: ["aws_route_table"], tie: "none" },
    ofGroups("security_group_ids"),
  ],
  limits: [
    {
      quota: "gateway-endpoints-per-region",
      within: "region",
      counts: (attributes) => !isInterface(attributes),
      refusal: () => ({ code: "VpcEndpointLimitExceeded", message: "The maximum number of VPC endpoints has been reached." }),
    },
    {
      quota: "interface-endpoints-per-vpc",
      within: "vpc_id",
      counts: isInterface,
      refusal: () => ({ code: "VpcEndpointLimitExceeded", message: "The maximum number of VPC endpoints has been reached." }),
    },
  ],
  takes: { create: 30, delete: 15 },
  check: ({ operation, planned, place }) => {
    const name = textOf(planned["service_name"]);
    const isKnown = name === "" || /^(com|cn)\.amazonaws\./.test(name);
    if (operation !== "create" || (isKnown && (name === "" || name.includes(place.region)))) return [];
    const message = `The Vpc Endpoint Service '${name}' does not exist`;
    return [{ code: "InvalidServiceName", message, path: ["service_name"] }];
  },
  compute: ({ id, planned, place }) => {
    const isGateway = !isInterface(planned);
    const host = `${id}.${textOf(planned["service_name"]).split(".").at(-1) ?? ""}.${place.region}.vpce.${place.suffix}`;
    return {
      state: "available",
      ip_address_type: isGateway ? "" : "ipv4",
      cidr_blocks: isGateway ? ["52.218.0.0/17"] : [],
      prefix_list_id: isGateway ? `pl-${hash(`${place.region} ${textOf(planned["service_name"])}`).slice(0, 8)}` : "",
      dns_entry: isGateway ? [] : [{ dns_name: host, hosted_zone_id: `Z${hash(place.region).slice(0, 13).toUpperCase()}` }],
      network_interface_ids: [],
      policy: JSON.stringify({
        Statement: [{ Action: "*", Effect: "Allow", Principal: "*", Resource: "*" }],
        Version: "2008-10-17",
      }),
      requester_managed: false,
      route_table_ids: [],
      security_group_ids: [],
      subnet_ids: [],
      service_region: place.region,
    };
  },
};

const tableAssociation: AwsResource = {
  service: "EC2",
  noun: "VPC Endpoint Route Table Association",
  calls: { create: "ModifyVpcEndpoint", delete: "ModifyVpcEndpoint" },
  id: (planned) => `a-${textOf(planned["vpc_endpoint_id"])}${hash(textOf(planned["route_table_id"])).slice(0, 10)}`,
  forceNew: ["vpc_endpoint_id", "route_table_id"],
  names: [
    {
      path: "vpc_endpoint_id",
      to: ["aws_vpc_endpoint"],
      missing: (id) => ({ code: "InvalidVpcEndpointId.NotFound", message: `The Vpc Endpoint Id '${id}' does not exist` }),
      tie: "follows",
    },
    { path: "route_table_id", to: ["aws_route_table"], tie: "follows" },
  ],
};

const flowLog: AwsResource = {
  service: "EC2",
  noun: "Flow Log",
  calls: { create: "CreateFlowLogs", delete: "DeleteFlowLogs" },
  id: "fl",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `vpc-flow-log/${id}`),
  forceNew: [
    "vpc_id",
    "subnet_id",
    "eni_id",
    "iam_role_arn",
    "log_destination",
    "log_destination_type",
    "log_format",
    "max_aggregation_interval",
    "traffic_type",
    "destination_options",
  ],
  defaults: { log_destination_type: "cloud-watch-logs", max_aggregation_interval: 600 },
  names: [
    { ...inVpc, tie: "follows" },
    { path: "subnet_id", to: ["aws_subnet"], missing: notFound.subnet, tie: "follows" },
  ],
  compute: () => ({
    log_format:
      "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${bytes} ${start} ${end} ${action} ${log-status}",
  }),
};

/** The VPC endpoint and flow log resource types. */
export const endpoints = {
  aws_vpc_endpoint: endpoint,
  aws_vpc_endpoint_route_table_association: tableAssociation,
  aws_flow_log: flowLog,
} as const;
