import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldsProps } from "../create-form.ts";

export type EnvironmentValues = {
  readonly description: string;
};

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
