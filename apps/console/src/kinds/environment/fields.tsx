import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldsProps } from "../create-form.ts";

/** The values of the environment form. */
export type EnvironmentValues = {
  readonly description: string;
};

/** Renders the form fields of an environment. */
export function EnvironmentFields({ draft, set, at }: FieldsProps<EnvironmentValues>): ReactNode {
  return (
    <TextInput
      label="Description"
      value={draft.description}
      {...at("spec.description")}
      onChange={(event) => set("spec.description", { description: event.currentTarget.value })}
    />
  );
}
