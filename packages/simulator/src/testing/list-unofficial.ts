import { readFileSync } from "node:fs";
import type { HclBlock } from "./read-hcl.ts";

type Schemas = Readonly<Record<string, { readonly block: Official }>>;

interface Printed {
  readonly provider_schemas: Readonly<Record<string, Readonly<Record<"resource_schemas" | "data_source_schemas", Schemas>>>>;
}

/**
 * Lists how a configuration deviates from the official schema: unknown resource types, attributes and nested blocks, and missing required
 * attributes and blocks. `file` is the output of `terraform providers schema -json`.
 */
export function listUnofficial(blocks: readonly HclBlock[], file: string, provider: string): string[] {
  const official = (JSON.parse(readFileSync(file, "utf8")) as Printed).provider_schemas[provider];
  return blocks.flatMap((block) => {
    const name = [block.type, ...block.labels].join(".");
    const schemas = block.type === "data" ? official?.data_source_schemas : official?.resource_schemas;
    const schema = schemas?.[block.labels[0] ?? ""];
    return schema === undefined ? [`${name} has no official type`] : findStrange(block, schema.block, name);
  });
}

interface Official {
  readonly attributes?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly block_types?: Readonly<Record<string, { readonly block: Official; readonly min_items?: number }>>;
}

// Terraform's meta-arguments, plus `description`, which is missing from the published schemas.
const meta = new Set(["for_each", "count", "depends_on", "provider", "description"]);

function findStrange(block: HclBlock, schema: Official, path: string): string[] {
  const own = Object.keys(block.attributes).filter((name) => !meta.has(name) && schema.attributes?.[name] === undefined);
  const deeper = block.blocks.flatMap((inner) => {
    if (inner.type === "lifecycle" || inner.type === "timeouts") return [];
    const isDynamic = inner.type === "dynamic";
    const name = isDynamic ? (inner.labels[0] ?? "") : inner.type;
    const content = isDynamic ? inner.blocks.find(({ type }) => type === "content") : inner;
    const found = schema.block_types?.[name]?.block;
    // Older resource types declare lists of objects as attributes, while configurations write them as blocks.
    if (found === undefined) return schema.attributes?.[name] === undefined ? [`${path}.${name}`] : [];
    return content === undefined ? [`${path}.${name} has no content`] : findStrange(content, found, `${path}.${name}`);
  });
  return [...own.map((name) => `${path}.${name}`), ...findMissing(block, schema, path), ...deeper];
}

function findMissing(block: HclBlock, schema: Official, path: string): string[] {
  const blocks = new Set(block.blocks.map(({ type, labels }) => (type === "dynamic" ? (labels[0] ?? "") : type)));
  const isMissing = (name: string): boolean => block.attributes[name] === undefined && !blocks.has(name);
  const required = [
    ...Object.entries(schema.attributes ?? {}).flatMap(([name, attribute]) => (attribute.required === true ? [name] : [])),
    ...Object.entries(schema.block_types ?? {}).flatMap(([name, { min_items: least = 0 }]) => (least > 0 ? [name] : [])),
  ];
  return required.filter(isMissing).map((name) => `${path} lacks ${name}`);
}
