import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { ValueType } from "../values/value.ts";
import {
  createBlock,
  nestedType,
  type Attribute,
  type Block,
  type NestedBlock,
  type Nesting,
  type ProviderSchema,
  type TypeSchema,
} from "./schema.ts";

/** One provider in the output of `terraform providers schema -json`. */
export interface TerraformProviderSchema {
  readonly provider?: TerraformType;
  readonly resource_schemas?: Readonly<Record<string, TerraformType>>;
  readonly data_source_schemas?: Readonly<Record<string, TerraformType>>;
}

interface TerraformType {
  readonly version: number;
  readonly block: TerraformBlock;
}

interface TerraformBlock {
  readonly attributes?: Readonly<Record<string, TerraformAttribute>>;
  readonly block_types?: Readonly<Record<string, TerraformNestedBlock>>;
  readonly deprecated?: boolean;
}

interface TerraformAttribute {
  readonly type?: ValueType;
  readonly nested_type?: { readonly attributes: Readonly<Record<string, TerraformAttribute>>; readonly nesting_mode: Nesting };
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  readonly write_only?: boolean;
  readonly deprecated?: boolean;
}

interface TerraformNestedBlock {
  readonly nesting_mode: Nesting;
  readonly block: TerraformBlock;
  readonly min_items?: number;
  readonly max_items?: number;
}

/** The types to read. An omitted list selects all types. */
export interface SchemaChoice {
  readonly resources?: readonly string[];
  readonly dataSources?: readonly string[];
}

/** Reads the schema that Terraform prints for a provider, without descriptions. */
export function readTerraformSchema(printed: TerraformProviderSchema, choice: SchemaChoice = {}): ProviderSchema {
  return {
    provider: readType(printed.provider ?? { version: 0, block: {} }),
    resources: choose(printed.resource_schemas ?? {}, choice.resources),
    dataSources: choose(printed.data_source_schemas ?? {}, choice.dataSources),
  };
}

function choose(printed: Readonly<Record<string, TerraformType>>, wanted?: readonly string[]): Record<string, TypeSchema> {
  const names = wanted ?? Object.keys(printed);
  return Object.fromEntries(
    names.map((name) => {
      const found = printed[name];
      if (found === undefined) throw new Fault(simulatorFaults.bad_schema, `the schema has no type ${name}`);
      return [name, readType(found)];
    }),
  );
}

function readType({ version, block }: TerraformType): TypeSchema {
  return { version, block: readBlock(block) };
}

function readBlock({ attributes = {}, block_types = {}, deprecated = false }: TerraformBlock): Block {
  return createBlock({
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, readAttribute(attribute)])),
    blocks: Object.fromEntries(Object.entries(block_types).map(([name, nested]) => [name, readNestedBlock(nested)])),
    deprecated,
  });
}

function readAttribute(attribute: TerraformAttribute): Attribute {
  const { required = false, optional = false, computed = false, sensitive = false, write_only: writeOnly = false } = attribute;
  const flags = { required, optional, computed, sensitive, writeOnly, deprecated: attribute.deprecated ?? false };
  if (attribute.nested_type === undefined) return { ...flags, type: attribute.type ?? "dynamic" };
  const nesting = attribute.nested_type.nesting_mode as Exclude<Nesting, "group">;
  const block = readBlock({ attributes: attribute.nested_type.attributes });
  return { ...flags, type: nestedType(nesting, block), nested: { nesting, block } };
}

function readNestedBlock({ nesting_mode, block, min_items = 0, max_items = 0 }: TerraformNestedBlock): NestedBlock {
  return { nesting: nesting_mode, block: readBlock(block), min: min_items, max: max_items };
}
