import { decodeValue, encodeValue } from "../values/codec.ts";
import { isMap, type Value, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import { changeResource, createRecordId, type Outcome } from "./change-resource.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { getSchema } from "./get-schema.ts";
import { findRecordId, printPrivateState } from "./record-id.ts";
import { runWork } from "./run-work.ts";
import type { Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** Handles ApplyResourceChange. A failure is reported together with the actual state, so that Terraform's state stays correct. */
export async function applyResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const sent = messages.applyResourceChange.request.decode(request);
  const type = sent.type_name;
  const { block } = getSchema(scope.definition, type);
  const prior = mapOrNull(decodeValue(block.type, sent.prior_state));
  const planned = mapOrNull(decodeValue(block.type, sent.planned_state));
  const config = mapOrNull(decodeValue(block.type, sent.config)) ?? {};
  const operation = planned === null ? "delete" : prior === null ? "create" : "update";
  const id =
    prior === null ? createRecordId(scope, type, planned ?? {}) : (findRecordId(block, prior, sent.planned_private) ?? "");
  const reply = ({ state, problems }: Outcome) => ({
    new_state: encodeValue(block.type, state),
    private: printPrivateState(block, id, sent.planned_private),
    legacy_type_system: scope.definition.legacyTypeSystem ?? false,
    diagnostics: toDiagnostics(problems),
  });
  const response = await runWork(scope, {
    operation,
    type,
    act: async (conditions) => reply(await changeResource(scope, type, { operation, id, prior, planned, config }, conditions)),
    refuse: (problems) => reply({ state: prior, problems }),
    listSecrets: () => [
      ...listSensitiveValues(block, config),
      ...listSensitiveValues(scope.definition.schema.provider.block, scope.session.config),
    ],
  });
  return messages.applyResourceChange.response.encode(response);
}

function mapOrNull(value: Value): ValueMap | null {
  return isMap(value) ? value : null;
}
