import type { AnyEntity } from "@cloudwright/api-client";
import { isNested } from "../../data/paths.ts";
import { parseEntity } from "../../data/parse-entity.ts";
import { isTree, type Tree } from "../../data/spec-paths.ts";
import { restoreSecrets } from "../../clouds/registry.ts";
import { readSpec, type CommonValues, type Draft } from "../../kinds/create-form.ts";
import type { KindView } from "../../kinds/kind-view.ts";
import { takeSettings } from "../../settings/setting-values.ts";

/** The form values read from a YAML document, or the reason why the document is invalid. */
export type ParsedDraft = { readonly draft: Draft } | { readonly problem: string };

/**
 * Reads form values from a YAML document. Keeps values for which the form has no fields. `before` is the entity whose YAML was edited. The
 * entity's secrets replace the placeholders in the document.
 */
export function parseDraft({ kind, form }: KindView, text: string, before: AnyEntity): ParsedDraft {
  const parsed = parseEntity(text);
  if ("problem" in parsed) return { problem: `Line ${parsed.line}: ${parsed.problem}` };
  const document = parsed.entity as Tree;
  const stranger = Object.keys(document).find((key) => !["kind", "metadata", "spec"].includes(key));
  if (stranger !== undefined) return { problem: `Unknown field "${stranger}". Use only kind, metadata and spec.` };
  if (document["kind"] !== undefined && document["kind"] !== kind)
    return { problem: `The kind is ${JSON.stringify(document["kind"])}, but this form creates entities of the kind ${kind}.` };
  const { metadata = {}, spec = {} } = document;
  if (!isTree(metadata) || !isTree(spec))
    return { problem: "metadata and spec must contain fields, not a single value or a list." };
  const own = form.parseSpec(restoreSecrets(spec, (before.spec ?? {}) as Tree));
  const { values, rest } = takeSettings(own.rest, form.settings ?? []);
  return { draft: { ...own.values, ...readMetadata(metadata, isNested(kind)), settings: values, rest } };
}

function readMetadata(metadata: Tree, isChild: boolean): Omit<CommonValues, "settings" | "rest"> {
  const reader = readSpec(metadata);
  const name = reader.take("name", "");
  const environment = reader.take("environment", "");
  const parent = isChild ? reader.take("parent", "") : "";
  const { labels: given, ...others } = reader.rest();
  const canShow = isTree(given) && Object.values(given).every((value) => typeof value === "string");
  return {
    name,
    environment,
    parent,
    labels: canShow ? Object.entries(given).map(([key, value]) => `${key}=${String(value)}`) : [],
    restOfMetadata: canShow || given === undefined ? others : { ...others, labels: given },
  };
}
