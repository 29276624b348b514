import { conform } from "../schema/conform.ts";
import type { Block } from "../schema/schema.ts";
import { decodeValue } from "../values/codec.ts";
import { isMap, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { getSchema } from "./get-schema.ts";
import { runWork } from "./run-work.ts";
import type { Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** Handles ValidateProviderConfig. */
export async function validateProvider(scope: Scope, request: Buffer): Promise<Buffer> {
  const { config } = messages.validateProviderConfig.request.decode(request);
  const problems = scope.definition.validate?.(readConfig(scope.definition.schema.provider.block, config)) ?? [];
  return messages.validateProviderConfig.response.encode({ diagnostics: toDiagnostics(problems) });
}

/** Handles ConfigureProvider. The configuration belongs to the connection, because one process serves several connections. */
export async function configureProvider(scope: Scope, request: Buffer): Promise<Buffer> {
  const { block } = scope.definition.schema.provider;
  const config = readConfig(block, messages.configureProvider.request.decode(request).config);
  const reply = await runWork(scope, {
    operation: "configure",
    act: async () => {
      scope.session.config = config;
      return { diagnostics: toDiagnostics([]) };
    },
    refuse: (problems) => ({ diagnostics: toDiagnostics(problems) }),
    listSecrets: () => listSensitiveValues(block, config),
  });
  return messages.configureProvider.response.encode(reply);
}

/** Handles ValidateResourceConfig. */
export async function validateResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const { type_name: type, config } = messages.validateTypeConfig.request.decode(request);
  const { block } = getSchema(scope.definition, type);
  const given = readConfig(block, config);
  const reply = await runWork(scope, {
    operation: "validate",
    type,
    act: async () => ({ diagnostics: toDiagnostics(scope.definition.resources?.[type]?.validate?.(given) ?? []) }),
    refuse: (problems) => ({ diagnostics: toDiagnostics(problems) }),
    listSecrets: () => listSensitiveValues(block, given),
  });
  return messages.validateTypeConfig.response.encode(reply);
}

/** Handles ValidateDataResourceConfig. Accepts every configuration, because data sources are validated when they are read. */
export async function validateDataSource(): Promise<Buffer> {
  return messages.validateTypeConfig.response.encode({});
}

function readConfig(block: Block, config: messages.DynamicValue | undefined): ValueMap {
  const value = conform(block, decodeValue(block.type, config));
  return isMap(value) ? value : {};
}
