import { Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldsProps } from "../create-form.ts";

export type SshKeyValues = {
  readonly publicKey: string;
};

/** Renders the form field for a public key. */
export function SshKeyFields({ draft, set, at }: FieldsProps<SshKeyValues>): ReactNode {
  return (
    <Textarea
      label="Public key"
      description="In OpenSSH's format. Leave empty to let the platform generate a key pair and store its private key."
      autosize
      minRows={2}
      maxRows={6}
      spellCheck={false}
      value={draft.publicKey}
      {...at("spec.publicKey")}
      onChange={(event) => set("spec.publicKey", { publicKey: event.currentTarget.value })}
    />
  );
}
