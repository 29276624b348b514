import { conform } from "../schema/conform.ts";
import type { Block } from "../schema/schema.ts";
import { isSame } from "../values/compare.ts";
import { decodeValue, encodeValue, fromWire } from "../values/codec.ts";
import { isMap, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import type { Problem } from "./definition.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { getSchema } from "./get-schema.ts";
import { runWork } from "./run-work.ts";
import { createHookContext, type Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** Handles ReadDataSource. */
export async function readDataSource(scope: Scope, request: Buffer): Promise<Buffer> {
  const { type_name: type, config: sent } = messages.readDataSource.request.decode(request);
  const { block } = getSchema(scope.definition, type, "dataSources");
  const value = decodeValue(block.type, sent);
  const config = isMap(value) ? value : {};
  const none = encodeValue(block.type, null);
  const reply = await runWork(scope, {
    operation: "data",
    type,
    act: async (conditions) => {
      const hooks = scope.definition.dataSources?.[type];
      const answer = await (hooks === undefined
        ? findOne(scope, type, block, config)
        : hooks.read(config, createHookContext(scope, conditions)));
      if (isProblems(answer)) return { state: none, diagnostics: toDiagnostics(answer) };
      // Terraform requires configured attributes to be returned unchanged.
      const given = Object.entries(config).filter(([name, part]) => part !== null && !block.blocks[name]);
      const state = conform(block, fromWire(block.type, conform(block, { ...answer, ...Object.fromEntries(given) }), type));
      return { state: encodeValue(block.type, state), diagnostics: toDiagnostics([]) };
    },
    refuse: (problems) => ({ state: none, diagnostics: toDiagnostics(problems) }),
    listSecrets: () => listSensitiveValues(block, config),
  });
  return messages.readDataSource.response.encode(reply);
}

async function findOne(scope: Scope, type: string, block: Block, config: ValueMap): Promise<ValueMap | readonly Problem[]> {
  const given = Object.entries(block.attributes).filter(([name]) => (config[name] ?? null) !== null);
  const found = (await scope.inventory.list(scope.tenant, type)).filter(({ attributes }) =>
    given.every(([name, attribute]) => isSame(attribute.type, attributes[name] ?? null, config[name] ?? null)),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.attributes;
  return [
    {
      summary: `${found.length === 0 ? "No" : "More than one"} ${type} matches`,
      detail: "A data source must match exactly one resource.",
    },
  ];
}

function isProblems(answer: ValueMap | readonly Problem[]): answer is readonly Problem[] {
  return Array.isArray(answer);
}
