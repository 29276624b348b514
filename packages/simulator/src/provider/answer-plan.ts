import { conform } from "../schema/conform.ts";
import { decodeValue, encodeValue } from "../values/codec.ts";
import { isMap, type Value, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import { toDiagnostics, toWirePath } from "./diagnostics.ts";
import { findReplacements } from "./find-replacements.ts";
import { getSchema } from "./get-schema.ts";
import { planChange } from "./plan-change.ts";
import { runWork } from "./run-work.ts";
import type { Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** Handles PlanResourceChange. */
export async function planResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const sent = messages.planResourceChange.request.decode(request);
  const { block } = getSchema(scope.definition, sent.type_name);
  const hooks = scope.definition.resources?.[sent.type_name] ?? {};
  const prior = mapOrNull(decodeValue(block.type, sent.prior_state));
  const proposed = mapOrNull(decodeValue(block.type, sent.proposed_new_state));
  const config = mapOrNull(decodeValue(block.type, sent.config)) ?? {};
  const always = {
    planned_private: sent.prior_private,
    legacy_type_system: scope.definition.legacyTypeSystem ?? false,
  };
  const reply = await runWork(scope, {
    operation: "plan",
    type: sent.type_name,
    act: async () => {
      if (proposed === null) return { ...always, planned_state: encodeValue(block.type, null), diagnostics: toDiagnostics([]) };
      const planned = planChange(block, hooks, { prior, proposed, config });
      const replaced =
        prior === null
          ? []
          : findReplacements(
              block,
              [...(hooks.forceNew ?? []), ...(hooks.listReplacements?.(prior, planned) ?? [])],
              prior,
              planned,
            );
      return {
        ...always,
        planned_state: encodeValue(block.type, conform(block, planned)),
        requires_replace: replaced.map(toWirePath),
        diagnostics: toDiagnostics([]),
      };
    },
    refuse: (problems) => ({
      ...always,
      planned_state: encodeValue(block.type, prior),
      diagnostics: toDiagnostics(problems),
    }),
    listSecrets: () => listSensitiveValues(block, config),
  });
  return messages.planResourceChange.response.encode(reply);
}

function mapOrNull(value: Value): ValueMap | null {
  return isMap(value) ? value : null;
}
