import { confirmProblems, type SpecCheck, type SpecProblem } from "../spec-checks.ts";

/** The number of network tags that Compute Engine allows per instance. */
const mostTags = 64;

const groupTag = /^cw-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the network tag of the instances of a security group. It depends only on the group's uid, so groups can refer to each other. */
export function renderGroupTag(groupUid: string): string {
  return `cw-${groupUid}`;
}

interface RuleShape {
  readonly direction?: string;
  readonly group?: string;
}

/** Returns the rules that firewalls of Google Cloud cannot express. */
export const checkGcpSecurityGroup: SpecCheck = ({ spec }) => {
  const { rules = [] } = spec as { readonly rules?: readonly RuleShape[] };
  return rules.flatMap(({ direction = "", group = "" }, index): SpecProblem[] => {
    if (direction !== "egress" || group === "") return [];
    const message = `is "${group}", but egress rules in Google Cloud name their destination as a range; set cidr instead`;
    return [{ field: `spec.rules[${index}].group`, message }];
  });
};

interface InstanceShape {
  readonly securityGroups?: readonly string[];
  readonly gcp?: { readonly networkTags?: readonly string[] };
}

/** Returns the network tags that an instance cannot have. */
export const checkGcpInstance: SpecCheck = ({ spec }) => {
  const { securityGroups = [], gcp: { networkTags = [] } = {} } = spec as InstanceShape;
  const foreign = networkTags.find((tag) => groupTag.test(tag));
  const count = securityGroups.length + networkTags.length;
  return confirmProblems([
    [
      foreign !== undefined,
      "spec.gcp.networkTags",
      `contains ${foreign ?? ""}, which is the tag of a security group; set spec.securityGroups instead`,
    ],
    [
      count > mostTags,
      "spec.gcp.networkTags",
      `and spec.securityGroups have ${count} entries; Google Cloud allows ${mostTags} network tags per instance`,
    ],
  ]);
};
