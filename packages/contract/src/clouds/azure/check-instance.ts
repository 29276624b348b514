import { confirmProblems, type SpecCheck } from "../spec-checks.ts";

/** The fields of an instance's spec to which the rule applies. */
interface InstanceShape {
  readonly securityGroups?: readonly string[];
  readonly azure?: { readonly networkSecurityGroupId?: string };
}

/** Rejects instances with security groups of the platform and a network security group of the user. */
export const checkAzureInstance: SpecCheck = ({ spec }) => {
  const { securityGroups = [], azure: { networkSecurityGroupId = "" } = {} } = spec as InstanceShape;
  return confirmProblems([
    [
      networkSecurityGroupId !== "" && securityGroups.length > 0,
      "spec.azure.networkSecurityGroupId",
      "must not be combined with spec.securityGroups, because a network interface in Azure has only one network security group",
    ],
  ]);
};
