import type { AnyEntity } from "@cloudwright/api-client";
import { mergeTrees, type Tree } from "../../data/spec-paths.ts";
import type { CreateForm, Draft } from "../../kinds/create-form.ts";
import { addSettings } from "../../settings/setting-values.ts";

/** Builds an entity from the form values and the fields entered as YAML. Omits fields with default values. */
export function buildEntity(form: CreateForm, draft: Draft): AnyEntity {
  const labels = Object.fromEntries(draft.labels.map((label) => splitLabel(label)));
  const own = form.buildSpec(draft) as Tree;
  return {
    metadata: {
      name: draft.name,
      ...draft.restOfMetadata,
      ...(draft.name === "" ? {} : { name: draft.name }),
      ...(draft.environment === "" ? {} : { environment: draft.environment }),
      ...(draft.labels.length === 0 ? {} : { labels }),
    },
    // Fields that have inputs in the form come first, in the order of the form.
    spec: addSettings({ ...own, ...mergeTrees(draft.rest, own) }, draft.settings),
  };
}

function splitLabel(label: string): [key: string, value: string] {
  const at = label.indexOf("=");
  return at === -1 ? [label, ""] : [label.slice(0, at), label.slice(at + 1)];
}
