import { bool, bytes, message, nested, presentText, presentVarint, repeated, text, varint, type Decoded } from "./protobuf.ts";

// The messages of Terraform's plug-in protocol version 6 (service tfplugin6.Provider) that this package uses.

export const dynamicValue = message({ msgpack: bytes(1), json: bytes(2) });
export type DynamicValue = Decoded<typeof dynamicValue>;

const step = message({ attribute_name: presentText(1), element_key_string: presentText(2), element_key_int: presentVarint(3) });
const attributePath = message({ steps: repeated(1, step) });
export const diagnostic = message({
  severity: varint(1),
  summary: text(2),
  detail: text(3),
  attribute: nested(4, attributePath),
});

// Schemas are recursive, so blocks are encoded from the inside out. Terraform requires the block even if it is empty.
export const schema = message({ version: varint(1), block: nested(2, raw()) });
export const block = message({ attributes: repeated(2, raw()), block_types: repeated(3, raw()), deprecated: bool(6) });
export const attribute = message({
  name: text(1),
  type: bytes(2),
  required: bool(4),
  optional: bool(5),
  computed: bool(6),
  sensitive: bool(7),
  deprecated: bool(9),
  nested_type: nested(10, raw()),
  write_only: bool(11),
});
export const nestedBlock = message({
  type_name: text(1),
  block: nested(2, raw()),
  nesting: varint(3),
  min_items: varint(4),
  max_items: varint(5),
});
export const nestedObject = message({ attributes: repeated(1, raw()), nesting: varint(3) });
const namedSchema = message({ key: text(1), value: nested(2, raw()) });
const capabilities = message({ plan_destroy: bool(1), get_provider_schema_optional: bool(2) });
const typeName = message({ type_name: text(1) });

export const getMetadata = {
  response: message({
    server_capabilities: nested(1, capabilities),
    data_sources: repeated(3, typeName),
    resources: repeated(4, typeName),
  }),
};
export const getProviderSchema = {
  response: message({
    provider: nested(1, raw()),
    resource_schemas: repeated(2, namedSchema),
    data_source_schemas: repeated(3, namedSchema),
    diagnostics: repeated(4, diagnostic),
    server_capabilities: nested(6, capabilities),
  }),
};
export const validateProviderConfig = {
  request: message({ config: nested(1, dynamicValue) }),
  response: message({ diagnostics: repeated(2, diagnostic) }),
};
/** ValidateResourceConfig and ValidateDataResourceConfig share these messages. */
export const validateTypeConfig = {
  request: message({ type_name: text(1), config: nested(2, dynamicValue) }),
  response: message({ diagnostics: repeated(1, diagnostic) }),
};
export const upgradeResourceState = {
  request: message({ type_name: text(1), version: varint(2), raw_state: nested(3, message({ json: bytes(1) })) }),
  response: message({ upgraded_state: nested(1, dynamicValue), diagnostics: repeated(2, diagnostic) }),
};
export const configureProvider = {
  request: message({ terraform_version: text(1), config: nested(2, dynamicValue) }),
  response: message({ diagnostics: repeated(1, diagnostic) }),
};
export const readResource = {
  request: message({ type_name: text(1), current_state: nested(2, dynamicValue), private: bytes(3) }),
  response: message({ new_state: nested(1, dynamicValue), diagnostics: repeated(2, diagnostic), private: bytes(3) }),
};
export const planResourceChange = {
  request: message({
    type_name: text(1),
    prior_state: nested(2, dynamicValue),
    proposed_new_state: nested(3, dynamicValue),
    config: nested(4, dynamicValue),
    prior_private: bytes(5),
  }),
  response: message({
    planned_state: nested(1, dynamicValue),
    requires_replace: repeated(2, attributePath),
    planned_private: bytes(3),
    diagnostics: repeated(4, diagnostic),
    legacy_type_system: bool(5),
  }),
};
export const applyResourceChange = {
  request: message({
    type_name: text(1),
    prior_state: nested(2, dynamicValue),
    planned_state: nested(3, dynamicValue),
    config: nested(4, dynamicValue),
    planned_private: bytes(5),
  }),
  response: message({
    new_state: nested(1, dynamicValue),
    private: bytes(2),
    diagnostics: repeated(3, diagnostic),
    legacy_type_system: bool(4),
  }),
};
export const importResourceState = {
  request: message({ type_name: text(1), id: text(2) }),
  response: message({
    imported_resources: repeated(1, message({ type_name: text(1), state: nested(2, dynamicValue), private: bytes(3) })),
    diagnostics: repeated(2, diagnostic),
  }),
};
export const readDataSource = {
  request: message({ type_name: text(1), config: nested(2, dynamicValue) }),
  response: message({ state: nested(1, dynamicValue), diagnostics: repeated(2, diagnostic) }),
};
export const stopProvider = { response: message({ Error: text(1) }) };

function raw(): { encode(value: Buffer): Buffer; decode(value: Uint8Array): Uint8Array } {
  return { encode: (value) => value, decode: (value) => value };
}
