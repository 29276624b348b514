import type { CreateForm } from "../../kinds/create-form.ts";
import { labelSettings } from "../../settings/setting-values.ts";

const common: Readonly<Record<string, string>> = {
  "metadata.name": "Name",
  "metadata.environment": "Environment",
  "metadata.labels": "Labels",
};

/** Returns the label of a form field, or undefined if the form has no such field. */
export function labelField({ labels, settings = [] }: CreateForm, field: string): string | undefined {
  return labels[field] ?? common[field] ?? labelSettings(settings)[field];
}

/** Returns the form field that corresponds to a finding's field. */
export function placeField({ aliases }: CreateForm, field: string): string {
  return aliases?.[field] ?? field;
}
