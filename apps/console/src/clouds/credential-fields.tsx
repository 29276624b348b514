import { PasswordInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import type { CloudName } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import type { FieldsProps } from "../kinds/create-form.ts";
import type { CloudView, CredentialField, CredentialValues } from "./cloud-view.ts";
import { findMethod } from "./credentials.ts";

interface CredentialFieldsProps {
  readonly cloud: CloudName;
  readonly view: CloudView;
  readonly values: CredentialValues;
  readonly set: (path: string, change: CredentialValues) => void;
  readonly at: FieldsProps["at"];
}

/** Renders the form fields for an account's credentials. */
export function CredentialFields({ cloud, view, values, set, at }: CredentialFieldsProps): ReactNode {
  const renderField = ({ name, label, description, placeholder, input = "text" }: CredentialField): ReactNode => {
    const path = `spec.${cloud}.${name}`;
    const shared = {
      label,
      description: description ?? (input === "text" ? undefined : "Encrypted at rest and never shown again"),
      placeholder,
      autoComplete: "off",
      value: values[name] ?? "",
      ...at(path),
      onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
        set(path, { [name]: event.currentTarget.value }),
    };
    if (input === "secret") return <PasswordInput key={name} {...shared} />;
    if (input === "secret-text") return <Textarea key={name} autosize minRows={3} maxRows={8} spellCheck={false} {...shared} />;
    return <TextInput key={name} {...shared} />;
  };
  return (
    <>
      <div>
        <div style={{ fontSize: 13, fontWeight: 500, marginBottom: 4 }}>Credentials</div>
        <SegmentedControl
          aria-label="Credentials"
          data={view.methods.map(({ value, label }) => ({ value, label }))}
          value={values["method"] ?? ""}
          onChange={(method) => set(`spec.${cloud}`, { method })}
        />
      </div>
      {view.accountFields.map(renderField)}
      {findMethod(view, values)?.fields.map(renderField)}
    </>
  );
}
