import * as messages from "../wire/plugin-messages.ts";
import type { Attribute, Block, NestedBlock, Nesting, ProviderSchema, TypeSchema } from "./schema.ts";

const nestingNumbers: Record<Nesting, number> = { single: 1, list: 2, set: 3, map: 4, group: 5 };

const encoded = new WeakMap<ProviderSchema, Buffer>();

/**
 * Encodes the response to GetProviderSchema. The result is cached, because encoding a hundred types is slow and the response is the same
 * for all tenants.
 */
export function encodeProviderSchema(schema: ProviderSchema): Buffer {
  const known = encoded.get(schema) ?? encodeAll(schema);
  encoded.set(schema, known);
  return known;
}

function encodeAll(schema: ProviderSchema): Buffer {
  return messages.getProviderSchema.response.encode({
    provider: encodeType(schema.provider),
    resource_schemas: encodeNamed(schema.resources),
    data_source_schemas: encodeNamed(schema.dataSources),
    // Lets Terraform fetch the schema once per command instead of once per process.
    server_capabilities: { get_provider_schema_optional: true },
  });
}

function encodeNamed(types: Readonly<Record<string, TypeSchema>>): { key: string; value: Buffer }[] {
  return Object.entries(types).map(([key, type]) => ({ key, value: encodeType(type) }));
}

function encodeType({ version, block }: TypeSchema): Buffer {
  return messages.schema.encode({ version, block: encodeBlock(block) });
}

function encodeBlock(block: Block): Buffer {
  return messages.block.encode({
    attributes: encodeAttributes(block),
    block_types: Object.entries(block.blocks).map(([name, nested]) => encodeNestedBlock(name, nested)),
    deprecated: block.deprecated,
  });
}

function encodeAttributes(block: Block): Buffer[] {
  return Object.entries(block.attributes).map(([name, attribute]) => encodeAttribute(name, attribute));
}

function encodeAttribute(name: string, { type, nested, writeOnly, ...flags }: Attribute): Buffer {
  const inner =
    nested === undefined
      ? { type: Buffer.from(JSON.stringify(type)) }
      : {
          nested_type: messages.nestedObject.encode({
            attributes: encodeAttributes(nested.block),
            nesting: nestingNumbers[nested.nesting],
          }),
        };
  return messages.attribute.encode({ name, ...inner, ...flags, write_only: writeOnly });
}

function encodeNestedBlock(name: string, { nesting, block, min, max }: NestedBlock): Buffer {
  return messages.nestedBlock.encode({
    type_name: name,
    block: encodeBlock(block),
    nesting: nestingNumbers[nesting],
    min_items: min,
    max_items: max,
  });
}
