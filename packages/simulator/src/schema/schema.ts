import type { ValueType } from "../values/value.ts";

/** How often a part occurs, and whether by order, by set or by key. A group is a single one that always exists. */
export type Nesting = "single" | "list" | "set" | "map" | "group";

/** One attribute. */
export interface Attribute {
  readonly type: ValueType;
  /** The attributes inside, where the schema tells them apart one by one. */
  readonly nested?: { readonly nesting: Exclude<Nesting, "group">; readonly block: Block };
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
  readonly sensitive: boolean;
  readonly writeOnly: boolean;
  readonly deprecated: boolean;
}

/** A block inside a block. */
export interface NestedBlock {
  readonly nesting: Nesting;
  readonly block: Block;
  readonly min: number;
  readonly max: number;
}

/** Attributes and blocks of one level. `type` is that of the object they make up. */
export interface Block {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly blocks: Readonly<Record<string, NestedBlock>>;
  readonly deprecated: boolean;
  readonly type: ValueType;
}

/** A resource type, a data source, or the provider's own configuration. */
export interface TypeSchema {
  readonly version: number;
  readonly block: Block;
}

/** Everything a provider offers. */
export interface ProviderSchema {
  readonly provider: TypeSchema;
  readonly resources: Readonly<Record<string, TypeSchema>>;
  readonly dataSources: Readonly<Record<string, TypeSchema>>;
}

/** Builds a block and works out its type. */
export function createBlock(parts: Omit<Block, "type">): Block {
  const types: Record<string, ValueType> = {};
  for (const [name, attribute] of Object.entries(parts.attributes)) types[name] = attribute.type;
  for (const [name, nested] of Object.entries(parts.blocks)) types[name] = nestedType(nested.nesting, nested.block);
  return { ...parts, type: ["object", types] };
}

/** The type of what is nested. */
export function nestedType(nesting: Nesting, block: Block): ValueType {
  return nesting === "single" || nesting === "group" ? block.type : [nesting, block.type];
}
