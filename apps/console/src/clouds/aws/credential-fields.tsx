import { PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { CredentialFieldsProps } from "../cloud-view.ts";

const methods = [
  { value: "agent", label: "Agent's own credentials" },
  { value: "role", label: "Assume a role" },
  { value: "key", label: "Access key" },
];

export function CredentialFields({ values, set, at }: CredentialFieldsProps): ReactNode {
  const field = (name: string) => ({
    value: values[name] ?? "",
    ...at(`spec.aws.${name}`),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set(`spec.aws.${name}`, { [name]: event.currentTarget.value }),
  });
  return (
    <>
      <div>
        <div style={{ fontSize: 13, fontWeight: 500, marginBottom: 4 }}>Credentials</div>
        <SegmentedControl
          aria-label="Credentials"
          data={methods}
          value={values["method"] ?? ""}
          onChange={(method) => set("spec.aws", { method })}
        />
      </div>
      <TextInput
        label="Account id"
        description="Twelve digits. Credentials for any other account are rejected."
        {...field("accountId")}
      />
      {values["method"] === "role" && (
        <TextInput label="Role" placeholder="arn:aws:iam::123456789012:role/cloudwright" {...field("roleArn")} />
      )}
      {values["method"] === "key" && (
        <>
          <TextInput label="Access key id" autoComplete="off" {...field("accessKeyId")} />
          <PasswordInput
            label="Secret access key"
            description="Encrypted at rest and never shown again"
            autoComplete="off"
            {...field("secretAccessKey")}
          />
        </>
      )}
    </>
  );
}
