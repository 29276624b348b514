import { objectOf, textOf } from "../read-spec.ts";
import { isExisting, type Check } from "./question.ts";

/** A network that is to be used as it is, is there. Its subnets are looked at by the plan, which changes nothing. */
export const existingIsThere: Check = async ({ view, entity, region }) => {
  if (!isExisting(entity)) return [];
  const id = textOf(objectOf(entity.spec["existing"])["id"]);
  const isThere = (await view.listVpcs()).some((vpc) => vpc.id === id);
  return isThere ? [] : [{ field: "spec.existing.id", message: `the account has no VPC ${id} in ${region}` }];
};
