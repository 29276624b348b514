import type { ValueType } from "../values/value.ts";

/** Whether a nested part occurs once or as a list, set or map. A group occurs once and always exists. */
export type Nesting = "single" | "list" | "set" | "map" | "group";

export interface Attribute {
  readonly type: ValueType;
  /** The nested attributes, if the schema lists them individually. */
  readonly nested?: { readonly nesting: Exclude<Nesting, "group">; readonly block: Block };
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
  readonly sensitive: boolean;
  readonly writeOnly: boolean;
  readonly deprecated: boolean;
}

export interface NestedBlock {
  readonly nesting: Nesting;
  readonly block: Block;
  readonly min: number;
  readonly max: number;
}

/** The attributes and blocks of one level. `type` is the type of the object they form. */
export interface Block {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly blocks: Readonly<Record<string, NestedBlock>>;
  readonly deprecated: boolean;
  readonly type: ValueType;
}

/** The schema of a resource type, a data source, or the provider's own configuration. */
export interface TypeSchema {
  readonly version: number;
  readonly block: Block;
}

/** The schema of a provider with all its types. */
export interface ProviderSchema {
  readonly provider: TypeSchema;
  readonly resources: Readonly<Record<string, TypeSchema>>;
  readonly dataSources: Readonly<Record<string, TypeSchema>>;
}

/** Creates a block and derives its type. */
export function createBlock(parts: Omit<Block, "type">): Block {
  const types: Record<string, ValueType> = {};
  for (const [name, attribute] of Object.entries(parts.attributes)) types[name] = attribute.type;
  for (const [name, nested] of Object.entries(parts.blocks)) types[name] = nestedType(nested.nesting, nested.block);
  return { ...parts, type: ["object", types] };
}

/** Returns the type of a nested part. */
export function nestedType(nesting: Nesting, block: Block): ValueType {
  return nesting === "single" || nesting === "group" ? block.type : [nesting, block.type];
}
