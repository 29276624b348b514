import type { EntityByKind } from "@cloudwright/api-client";
import { mono } from "../../kinds/mono.tsx";
import type { CloudView } from "../cloud-view.ts";

export const awsView: CloudView = {
  methods: [
    { value: "agent", label: "Agent's own credentials", fields: [], settings: { agentCredentials: true } },
    {
      value: "role",
      label: "Assume a role",
      fields: [{ name: "roleArn", label: "Role", placeholder: "arn:aws:iam::123456789012:role/cloudwright" }],
    },
    {
      value: "key",
      label: "Access key",
      fields: [
        { name: "accessKeyId", label: "Access key id" },
        { name: "secretAccessKey", label: "Secret access key", input: "secret" },
      ],
    },
  ],
  accountFields: [
    { name: "accountId", label: "Account id", description: "Twelve digits. Credentials for any other account are rejected." },
  ],
  listAccountFacts(account) {
    const { accountId, roleArn } = account as NonNullable<NonNullable<EntityByKind["Account"]["spec"]>["aws"]>;
    return [
      ["Account id", accountId],
      ["Role", mono(roleArn)],
    ];
  },
  zones: ["a", "b", "c", "d", "e", "f"],
  sampleError: "InsufficientInstanceCapacity: no capacity in this zone",
  resourceIcons: [
    [/^aws_iam_/, "access"],
    [/^aws_eks_/, "cluster"],
    [/^aws_(s3|efs|ebs)_/, "storage"],
    [/^aws_(sqs|sns)_/, "operation"],
  ],
};
