import type { PermissionPolicy } from "../../permission-policy.ts";
import { awsFeatures, listActions, type AwsFeature } from "./features.ts";

export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly {
    readonly Sid: string;
    readonly Effect: "Allow";
    readonly Action: readonly string[];
    readonly Resource: "*";
    readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  }[];
}

// Restricts the services to which a role can be passed. Without this restriction, the credentials could be used to obtain any permission.
const conditions: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>> = {
  "iam:PassRole": {
    StringEquals: {
      "iam:PassedToService": [
        "ec2.amazonaws.com",
        "eks.amazonaws.com",
        "pods.eks.amazonaws.com",
        "s3.amazonaws.com",
        "vpc-flow-logs.amazonaws.com",
      ],
    },
  },
  "iam:CreateServiceLinkedRole": {
    StringEquals: {
      "iam:AWSServiceName": [
        "autoscaling.amazonaws.com",
        "eks.amazonaws.com",
        "eks-nodegroup.amazonaws.com",
        "spot.amazonaws.com",
      ],
    },
  },
};

/** Renders the smallest policy that grants the permissions of the given features, with one statement per feature. */
export function renderPolicy(features: readonly AwsFeature[] = awsFeatures): PolicyDocument {
  const plain = features.map((feature) => ({
    Sid: feature.replace(/^./, (letter) => letter.toUpperCase()),
    Effect: "Allow" as const,
    Action: listActions(feature).filter((action) => conditions[action] === undefined),
    Resource: "*" as const,
  }));
  const needed = new Set(features.flatMap((feature) => listActions(feature)));
  const narrowed = Object.entries(conditions).flatMap(([action, Condition]) =>
    needed.has(action)
      ? [{ Sid: action.replace(/^iam:/, ""), Effect: "Allow" as const, Action: [action], Resource: "*" as const, Condition }]
      : [],
  );
  return { Version: "2012-10-17", Statement: [...plain, ...narrowed] };
}

/** Maximum length of a managed policy in characters, excluding white space. */
const managedPolicyLength = 6144;

export const awsPolicy: PermissionPolicy = {
  features: awsFeatures,
  render: (features = []) => ({ ...renderPolicy(features.length === 0 ? awsFeatures : features.filter(isFeature)) }),
  findWarning(document) {
    const { length } = JSON.stringify(document);
    if (length <= managedPolicyLength) return undefined;
    const limits = `the policy has ${length} characters without white space; IAM allows ${managedPolicyLength} in a managed policy and 10240 in a role's inline policies`;
    return `${limits}. Use --split FOLDER to write one managed policy per feature, or --feature to print one: ${awsFeatures.join(", ")}`;
  },
};

function isFeature(feature: string): feature is AwsFeature {
  return awsFeatures.some((known) => known === feature);
}
