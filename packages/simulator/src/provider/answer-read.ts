import type { Conditions } from "../cloud/conditions.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import { conform } from "../schema/conform.ts";
import { decodeValue, encodeValue, fromWire, parseExactly } from "../values/codec.ts";
import type { Value } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { getSchema } from "./get-schema.ts";
import { findRecordId, printPrivateState } from "./record-id.ts";
import { runWork } from "./run-work.ts";
import { createHookContext, type Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** Handles UpgradeResourceState. Converts a state of any version to the current schema. */
export async function upgradeState(scope: Scope, request: Buffer): Promise<Buffer> {
  const { type_name: type, raw_state: state } = messages.upgradeResourceState.request.decode(request);
  const { block } = getSchema(scope.definition, type);
  const value = conform(block, parseExactly(state?.json.toString("utf8") ?? "null") as Value);
  return messages.upgradeResourceState.response.encode({
    upgraded_state: encodeValue(block.type, fromWire(block.type, value, type)),
  });
}

/** Handles ReadResource. Returns the current state, or no state if the resource no longer exists. */
export async function readResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const sent = messages.readResource.request.decode(request);
  const type = sent.type_name;
  const { block } = getSchema(scope.definition, type);
  const current = decodeValue(block.type, sent.current_state);
  const reply = await runWork(scope, {
    operation: "read",
    type,
    act: async (conditions) => {
      const id = findRecordId(block, current, sent.private);
      const record = id === undefined ? undefined : await scope.inventory.find(scope.tenant, { type, id });
      const state = record === undefined ? null : await toState(scope, record, conditions);
      return { new_state: encodeValue(block.type, state), private: sent.private, diagnostics: toDiagnostics([]) };
    },
    refuse: (problems) => ({
      new_state: encodeValue(block.type, current),
      private: sent.private,
      diagnostics: toDiagnostics(problems),
    }),
    listSecrets: () => listSensitiveValues(block, current),
  });
  return messages.readResource.response.encode(reply);
}

/** Handles ImportResourceState. */
export async function importResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const { type_name: type, id } = messages.importResourceState.request.decode(request);
  const { block } = getSchema(scope.definition, type);
  const reply = await runWork(scope, {
    operation: "import",
    type,
    act: async (conditions) => {
      const record = await scope.inventory.find(scope.tenant, { type, id });
      if (record === undefined) {
        return {
          imported_resources: [],
          diagnostics: toDiagnostics([
            { summary: `Cannot import non-existent remote object. There is no ${type} with the id ${id}` },
          ]),
        };
      }
      const state = encodeValue(block.type, await toState(scope, record, conditions));
      const imported = { type_name: type, state, private: printPrivateState(block, id, Buffer.alloc(0)) };
      return { imported_resources: [imported], diagnostics: toDiagnostics([]) };
    },
    refuse: (problems) => ({ imported_resources: [], diagnostics: toDiagnostics(problems) }),
  });
  return messages.importResourceState.response.encode(reply);
}

async function toState(scope: Scope, record: CloudRecord, conditions: Conditions): Promise<Value> {
  const { block } = getSchema(scope.definition, record.type);
  const told = await scope.definition.resources?.[record.type]?.read?.(record, createHookContext(scope, conditions));
  return conform(block, fromWire(block.type, conform(block, told ?? record.attributes), record.type));
}
