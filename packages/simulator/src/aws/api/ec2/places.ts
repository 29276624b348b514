import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { findRegion, listRegions } from "../../../cloud/regions.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { textOf } from "../../../values/read-value.ts";
import { listInstanceTypes } from "../../ec2/instance-types.ts";
import { zoneIdOf } from "../../ec2/vpc.ts";
import { describeOperation, regionOf, textIn } from "./ec2-request.ts";

/** Operations on regions, zones, instance types and account attributes. None of them depends on the tenant's resources. */
export const placeOperations: readonly ApiOperation[] = [
  describeOperation({
    name: "DescribeAvailabilityZones",
    type: "aws_availability_zone",
    ids: "ZoneName",
    set: "availabilityZoneInfo",
    missing: (id) => ({ code: "InvalidParameterValue", message: `Invalid availability zone: [${id}]` }),
    list: async (call) => zonesOf(call).map((zone) => toFact("aws_availability_zone", zone)),
    render: ({ id }, call) => ({
      zoneName: id,
      zoneId: zoneIdOf(regionOf(call), id),
      zoneState: "available",
      zoneType: "availability-zone",
      regionName: regionOf(call),
      groupName: `${regionOf(call)}-zg-1`,
      networkBorderGroup: regionOf(call),
      optInStatus: "opt-in-not-required",
      messageSet: [],
    }),
    facts: ({ id }, call) => ({
      "zone-name": [id],
      "zone-id": [zoneIdOf(regionOf(call), id)],
      "zone-type": ["availability-zone"],
      "region-name": [regionOf(call)],
      "opt-in-status": ["opt-in-not-required"],
      state: ["available"],
    }),
  }),
  describeOperation({
    name: "DescribeRegions",
    type: "aws_region",
    ids: "RegionName",
    set: "regionInfo",
    missing: (id) => ({ code: "InvalidParameterValue", message: `Invalid region provided: ${id}` }),
    list: async () => listRegions("aws").map((region) => toFact("aws_region", region)),
    render: ({ id }) => ({ regionName: id, regionEndpoint: `ec2.${id}.amazonaws.com`, optInStatus: "opt-in-not-required" }),
    facts: ({ id }) => ({ "region-name": [id], "opt-in-status": ["opt-in-not-required"] }),
  }),
  describeOperation({
    name: "DescribeInstanceTypes",
    type: "aws_instance_type",
    ids: "InstanceType",
    set: "instanceTypeSet",
    missing: (id) => ({ code: "InvalidInstanceType", message: `The following supplied instance types do not exist: [${id}]` }),
    list: async () => listMachines(),
    render: ({ id, attributes: { vcpus = 0, memoryMiB = 0, architecture = "" } }) => ({
      instanceType: id,
      currentGeneration: true,
      bareMetal: id.endsWith(".metal"),
      hypervisor: "nitro",
      supportedUsageClasses: ["on-demand", "spot"],
      processorInfo: { supportedArchitectures: [architecture] },
      vCpuInfo: { defaultVCpus: vcpus },
      memoryInfo: { sizeInMiB: memoryMiB },
      burstablePerformanceSupported: id.startsWith("t"),
    }),
    facts: ({ id, attributes }) => ({
      "instance-type": [id],
      "current-generation": ["true"],
      "bare-metal": [String(id.endsWith(".metal"))],
      "processor-info.supported-architecture": [textOf(attributes["architecture"])],
    }),
  }),
  describeOperation({
    name: "DescribeInstanceTypeOfferings",
    type: "aws_instance_type_offering",
    ids: "none",
    set: "instanceTypeOfferingSet",
    missing: (id) => ({ code: "InvalidParameterValue", message: id }),
    async list(call) {
      const kind = textIn(call, "LocationType") || "region";
      const places = kind === "availability-zone" ? zonesOf(call) : [regionOf(call)];
      return places.flatMap((location) =>
        listInstanceTypes().map(({ name }) => ({
          type: "aws_instance_type_offering",
          id: `${name} ${location}`,
          attributes: { name, location, kind },
        })),
      );
    },
    render: ({ attributes: { name, location, kind } }) => ({ instanceType: name, locationType: kind, location }),
    facts: ({ attributes }) => ({
      "instance-type": [textOf(attributes["name"])],
      location: [textOf(attributes["location"])],
    }),
  }),
  {
    name: "DescribeAccountAttributes",
    match: { action: "DescribeAccountAttributes" },
    run: async () => ({
      content: {
        accountAttributeSet: [
          { attributeName: "supported-platforms", attributeValueSet: [{ attributeValue: "VPC" }] },
          { attributeName: "default-vpc", attributeValueSet: [{ attributeValue: "none" }] },
        ],
      },
    }),
  },
];

function zonesOf(call: ApiCall): readonly string[] {
  return findRegion("aws", regionOf(call))?.zones ?? [];
}

function toFact(type: string, id: string): CloudRecord {
  return { type, id, attributes: {} };
}

function listMachines(): readonly CloudRecord[] {
  return listInstanceTypes().map(({ name, vcpus, memoryMiB, architecture }) => ({
    type: "aws_instance_type",
    id: name,
    attributes: { vcpus, memoryMiB, architecture },
  }));
}
