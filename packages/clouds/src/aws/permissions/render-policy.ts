import { awsFeatures, listActions, type AwsFeature } from "./features.ts";

export { awsFeatures, type AwsFeature } from "./features.ts";

/** A policy document of IAM. */
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

// Who may be handed a role, and who may have one made: without this the holder could become whoever it likes.
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

/** The smallest policy that lets an account be used for these features, a statement for each. */
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
