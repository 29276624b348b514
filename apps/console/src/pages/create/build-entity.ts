import type { AnyEntity } from "@cloudwright/api-client";
import type { CreateForm, Draft } from "../../kinds/create-form.ts";

/** Builds an entity from the form values. Omits fields with default values. */
export function buildEntity(form: CreateForm, draft: Draft): AnyEntity {
  const labels = Object.fromEntries(draft.labels.map((label) => splitLabel(label)));
  return {
    metadata: {
      name: draft.name,
      ...(draft.environment === "" ? {} : { environment: draft.environment }),
      ...(draft.labels.length === 0 ? {} : { labels }),
    },
    spec: form.buildSpec(draft),
  };
}

function splitLabel(label: string): [key: string, value: string] {
  const at = label.indexOf("=");
  return at === -1 ? [label, ""] : [label.slice(0, at), label.slice(at + 1)];
}
