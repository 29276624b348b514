import type { EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { omitEmpty } from "../../kinds/create-form.ts";
import { mono } from "../../kinds/mono.tsx";
import type { CloudView, CredentialValues } from "../cloud-view.ts";

const CredentialFields = lazy(async () => ({
  default: (await loadChunk(() => import("./credential-fields.tsx"))).CredentialFields,
}));

const methods: Readonly<Record<string, (values: CredentialValues) => Readonly<Record<string, string | boolean>>>> = {
  agent: () => ({ agentCredentials: true }),
  role: ({ roleArn = "" }) => ({ roleArn }),
  key: ({ accessKeyId = "", secretAccessKey = "" }) => ({ accessKeyId, secretAccessKey }),
};

export const awsView: CloudView = {
  credentialDefaults: { method: "agent", accountId: "", roleArn: "", accessKeyId: "", secretAccessKey: "" },
  buildAccount: (values) => ({
    ...methods[values["method"] ?? ""]?.(values),
    ...omitEmpty({ accountId: values["accountId"] ?? "" }),
  }),
  secretFields: ["secretAccessKey"],
  renderCredentialFields: (props) => <CredentialFields {...props} />,
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
