import type { Tag } from "@aws-sdk/client-ec2";
import type { Held, OfferedMachine } from "../account-view.ts";
import type { AwsApi } from "./api.ts";

/** Returns whether a machine type counts against the quota for standard instances. Other families have separate quotas. */
function isCommonMachine(type: string): boolean {
  return /^([acdhimrtz]|im|is)\d/.test(type);
}

/** Lists the running on-demand machines that count against the quota for standard instances, with their vCPUs. */
export async function countVcpus(
  api: AwsApi,
  ownerOf: (tags: readonly Tag[] | undefined) => Held,
): Promise<(Held & { vcpus: number })[]> {
  return api.call("list the machines", async (clients) => {
    const { paginateDescribeInstances } = await import("@aws-sdk/client-ec2");
    const found: (Held & { vcpus: number })[] = [];
    const Filters = [{ Name: "instance-state-name", Values: ["pending", "running"] }];
    for await (const { Reservations = [] } of paginateDescribeInstances({ client: await clients.ec2() }, { Filters })) {
      for (const { InstanceType = "", InstanceLifecycle, CpuOptions, Tags } of Reservations.flatMap(
        ({ Instances = [] }) => Instances,
      )) {
        if (!isCommonMachine(InstanceType) || InstanceLifecycle === "spot") continue;
        found.push({ vcpus: (CpuOptions?.CoreCount ?? 1) * (CpuOptions?.ThreadsPerCore ?? 2), ...ownerOf(Tags) });
      }
    }
    return found;
  });
}

/** Filters the given machine types to those available in the region, and adds their zones. */
export async function listOfferedMachines(api: AwsApi, types: readonly string[]): Promise<OfferedMachine[]> {
  if (types.length === 0) return [];
  return api.call("list the machine types", async (clients) => {
    const { paginateDescribeInstanceTypeOfferings, paginateDescribeInstanceTypes } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const Filters = [{ Name: "instance-type", Values: [...new Set(types)] }];
    const zones = new Map<string, string[]>();
    const offered = { LocationType: "availability-zone" as const, Filters };
    for await (const { InstanceTypeOfferings = [] } of paginateDescribeInstanceTypeOfferings({ client }, offered)) {
      for (const { InstanceType = "", Location = "" } of InstanceTypeOfferings) {
        zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location]);
      }
    }
    const vcpus = new Map<string, number>();
    for await (const { InstanceTypes = [] } of paginateDescribeInstanceTypes({ client }, { Filters })) {
      for (const { InstanceType = "", VCpuInfo } of InstanceTypes) vcpus.set(InstanceType, VCpuInfo?.DefaultVCpus ?? 0);
    }
    return [...zones].map(([name, where]) => ({
      name,
      vcpus: vcpus.get(name) ?? 0,
      zones: where.toSorted(),
      isCommon: isCommonMachine(name),
    }));
  });
}
