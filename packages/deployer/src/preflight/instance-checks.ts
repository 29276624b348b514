import { systemImages } from "@cloudwright/contract/clouds";
import type { Check } from "./question.ts";

/** Checks that the instance's image exists in the region. */
export const imageExists: Check<"Instance"> = async ({ view, entity, cloud, region }) => {
  const { image, machineType } = entity.spec;
  if (image === "" || (await view.hasImage?.(image, machineType || cloud.machines.defaultType)) !== false) return [];
  const help = `Choose one of ${systemImages.join(", ")}, or another image that the account can use.`;
  return [{ field: "spec.image", message: `there is no image ${image} in ${region}`, help }];
};

/** Checks that the region offers the instance's machine type. */
export const machineIsOffered: Check<"Instance"> = async ({ view, entity, cloud, region }) => {
  const type = entity.spec.machineType || cloud.machines.defaultType;
  if ((await view.listOffered([type])).some(({ name }) => name === type)) return [];
  const list =
    cloud.commands === undefined ? "" : ` \`${cloud.commands.listMachineTypes(region)}\` lists what the region offers.`;
  const message = `${region} does not offer the machine type ${type}`;
  return [{ field: "spec.machineType", message, help: `Choose another machine type.${list}` }];
};
