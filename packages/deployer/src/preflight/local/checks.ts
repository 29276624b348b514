import { defaultNetworkCidr, findParent } from "@cloudwright/contract";
import { overlaps } from "../network-checks.ts";
import type { Check, PreflightChecks, Question } from "../question.ts";

/** Checks that the range is free on the machine. Overlapping ranges would cut the machine off from one of the networks. */
const rangeIsFree: Check<"Network"> = async ({ view, entity }) => {
  const cidr = entity.spec.cidr || defaultNetworkCidr;
  const others = (await view.listNetworks()).filter(({ owner }) => owner !== entity.uid);
  const taken = others.flatMap(({ id, ranges }) =>
    ranges.filter((range) => overlaps(range, cidr)).map((range) => `${range} (${id})`),
  );
  if (taken.length === 0) return [];
  const message = `${cidr} overlaps ${taken.slice(0, 3).join(", ")} on the machine`;
  return [{ field: "spec.cidr", message, help: "Choose a range that neither the machine nor another of its networks uses." }];
};

const switchRuns: Check<"Network"> = async ({ view, entity: { spec } }) => {
  if (spec.cloud.case !== "local" || spec.cloud.value.switch !== "ovs" || (await view.hasOpenVswitch?.()) !== false) return [];
  const help = "On the machine, run: apt-get install openvswitch-switch ethtool. Or omit spec.local.switch.";
  return [{ field: "spec.local.switch", message: "is ovs, but Open vSwitch does not run on the machine", help }];
};

const imageIsKnown: Check<"Instance"> = async ({ view, entity, cloud }) => {
  const { image, machineType } = entity.spec;
  if (image === "" || (await view.hasImage?.(image, machineType || cloud.machines.defaultType)) !== false) return [];
  const help = "Use debian-12, or set the image up with CLOUDWRIGHT_AGENT_HOST_IMAGES on the machine.";
  return [{ field: "spec.image", message: `the machine has no image "${image}"`, help }];
};

/** Checks that the machine has the processors, the memory and the disk space that a new instance may use up. */
const machineHasRoom: Check<"Instance"> = async (question) => {
  const { view, entity, cloud } = question;
  const type = entity.spec.machineType || cloud.machines.defaultType;
  const size = cloud.machines.measure?.(type);
  if (size === undefined) return [];
  const { vcpus } = await view.getLimits();
  const processors =
    size.cpus <= vcpus
      ? []
      : [
          {
            field: "spec.machineType",
            message: `is ${type}, but the machine has ${vcpus} processors`,
            help: "Choose a smaller machine type.",
          },
        ];
  return [
    ...processors,
    ...(await findLack(question, "memoryMiB", "spec.machineType", { wanted: size.memoryMib, unit: "MiB of memory" })),
    ...(await findLack(question, "diskGiB", "spec.rootDisk.sizeGib", {
      wanted: entity.spec.rootDisk?.sizeGib || (cloud.instances?.defaultDiskGib ?? 0),
      unit: "GiB of disk space",
    })),
  ];
};

async function findLack(
  { view, around }: Question<"Instance">,
  quota: "memoryMiB" | "diskGiB",
  field: string,
  { wanted, unit }: { readonly wanted: number; readonly unit: string },
) {
  // The size of an instance that exists is among what is in use.
  const isBuilt = Object.keys(around.outputs).length > 0;
  const usage = isBuilt ? undefined : await view.findUsage?.(quota);
  if (usage === undefined || usage.used + wanted <= usage.limit) return [];
  const free = Math.max(0, Math.floor(usage.limit - usage.used));
  const message = `needs ${wanted} ${unit}, but the machine has ${free} that no instance has reserved`;
  return [{ field, message, help: "Choose a smaller size, delete instances, or use another machine." }];
}

/** An instance can be connected only to a network that was built on the machine that the account is bound to. */
const networkIsHere: Check<"Instance"> = async ({ view, around }) => {
  const network = findParent(around, "Network");
  const isBuilt = Object.keys(network?.outputs ?? {}).length > 0;
  if (network === undefined || !isBuilt) return [];
  if ((await view.listNetworks()).some(({ owner }) => owner === network.uid)) return [];
  const message = `the network "${network.name}" does not exist on the machine`;
  return [{ field: "spec.network", message, help: `Run \`cloud drift correct network/${network.name}\` to create it again.` }];
};

export const localChecks: PreflightChecks = {
  network: [rangeIsFree, switchRuns],
  instance: [networkIsHere, imageIsKnown, machineHasRoom],
  securitygroup: [],
  // The machine reserves the space when it creates the volume. A check in advance could not hold it.
  volume: [],
};
