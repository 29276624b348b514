import { objectOf, textOf } from "../read-spec.ts";
import { isExisting, type Check } from "./question.ts";

/** Checks that a network that is only used exists. The plan reads its subnets. */
export const existingIsThere: Check = async ({ view, entity, region, cloud }) => {
  if (!isExisting(entity)) return [];
  const id = textOf(objectOf(entity.spec["existing"])["id"]);
  const isThere = (await view.listNetworks()).some((network) => network.id === id);
  const message = `the account has no ${cloud.terms.network} ${id} in ${region}`;
  return isThere ? [] : [{ field: "spec.existing.id", message }];
};
