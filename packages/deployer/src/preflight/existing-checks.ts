import type { Check } from "./question.ts";

/** Checks that an existing network can be found in the account. Its subnets are read later, during planning. */
export const existingIsThere: Check<"Network"> = async ({ view, entity, region, cloud }) => {
  const { existing } = entity.spec;
  if (existing === undefined) return [];
  const { id } = existing;
  const isThere = (await view.listNetworks()).some((network) => network.id === id);
  const message = `the account has no ${cloud.terms.network} ${id} in ${region}`;
  return isThere ? [] : [{ field: "spec.existing.id", message }];
};
